// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A figure from elsewhere, with its age.
public struct Aged<Value> {
    /// The figure.
    public var value: Value
    /// Its age when the report was taken, in seconds; below zero counts as zero.
    public var age: Double

    /// Creates a figure of that age.
    public init(_ value: Value, age: Double) {
        self.value = value
        self.age = age
    }

    /// The figure, or `nil` if it is older than the limit in seconds, or its age is not a number.
    public func value(youngerThan limit: Double) -> Value? {
        age <= limit ? value : nil
    }
}

extension Aged: Sendable where Value: Sendable {}
extension Aged: Equatable where Value: Equatable {}
extension Aged: Encodable where Value: Encodable {}
extension Aged: Decodable where Value: Decodable {}
