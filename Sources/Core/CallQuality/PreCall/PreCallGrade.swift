// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How good video or audio would be.
public enum PreCallGrade: String, Sendable, Codable {
    /// Without impairment that one would notice.
    case excellent
    /// With some impairment.
    case acceptable
    /// Not at all.
    case unsupported
}

/// Grade of a resolution.
public struct PreCallSizeGrade: Sendable, Equatable, Codable {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// How well.
    public var grade: PreCallGrade

    /// Describes a size.
    public init(width: Int, height: Int, grade: PreCallGrade) {
        self.width = width
        self.height = height
        self.grade = grade
    }
}
