// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A metric as a value: what is written of it, in whichever format, follows from this.
struct Metric: Sendable, Equatable {
    struct Label: Sendable, Equatable {
        var name: String
        var value: String
    }

    struct Point<Value: Sendable & Equatable>: Sendable, Equatable {
        var labels: [Label]
        var value: Value
        /// Start of the count, Unix ms; `nil` for the server's own.
        var since: Double?
    }

    enum Number: Sendable, Equatable {
        case integer(Int64)
        case real(Double)
    }

    /// The points of a metric by its kind; without any nothing has been counted yet.
    enum Points: Sendable, Equatable {
        /// What never falls.
        case counter([Point<Number>])
        /// What there is now.
        case gauge([Point<Number>])
        case histogram([Point<Histogram>])
    }

    /// What a value is of.
    enum Unit: Sendable, Equatable {
        case seconds, bytes
        /// A share of 1.
        case ratio
        /// Things of a name in the singular.
        case count(String)
        /// What has none, such as whether something is there.
        case none
    }

    /// With its prefix, such as `sightline_sessions`.
    var name: String
    var help: String
    var unit: Unit
    var points: Points
}

extension Metric.Unit {
    /// As UCUM has it; empty for none.
    ///
    /// What is counted is an annotation: from "1" a collector makes names that end with "ratio".
    var ucum: String {
        switch self {
        case .seconds: "s"
        case .bytes: "By"
        case .ratio: "1"
        case .count(let thing): "{\(thing)}"
        case .none: ""
        }
    }
}
