// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What an observer should say, known from the schedule alone.
public struct Label: Sendable, Equatable {
    /// Causes that are right; several where the schedule cannot tell them apart.
    public var causes: Set<Diagnosis.Cause>
    /// Directions that are right; `nil` where none is judged.
    public var directions: Set<NetworkDirection>?
    /// Sides that are right at bob; `nil` where none is judged.
    public var sides: Set<NetworkDegradationSource>?
    /// Seconds after its beginning before it is held against the observer.
    public var settling: Double

    /// Describes what is right.
    public init(
        causes: Set<Diagnosis.Cause>, directions: Set<NetworkDirection>? = nil,
        sides: Set<NetworkDegradationSource>? = nil, settling: Double = Settling.usual
    ) {
        self.causes = causes
        self.directions = directions
        self.sides = sides
        self.settling = settling
    }

    /// Nothing is wrong.
    public static let well = Label(causes: [.none], sides: [.none])

    /// The trouble is over; whether the estimate has climbed by now is not for the schedule to know.
    ///
    /// Nobody is blamed any more, but which side recovers may be said.
    public static func recovering(settling: Double = Settling.usual) -> Label {
        Label(causes: [.recovering, .none], settling: settling)
    }

    /// One cause in one direction.
    public static func fault(
        _ cause: Diagnosis.Cause, _ directions: Set<NetworkDirection>?,
        side: NetworkDegradationSource? = nil, settling: Double = Settling.usual
    ) -> Label {
        Label(causes: [cause], directions: directions, sides: side.map { [$0] }, settling: settling)
    }

    /// Whether something is wrong.
    public var isFault: Bool { causes.isDisjoint(with: [.none, .recovering]) }
}

/// Seconds that an observer has after a change.
public enum Settling {
    /// After most changes.
    public static let usual = 4.0
    /// After changes of the bandwidth.
    public static let bandwidth = 8.0
    /// In calls without video, which have fewer packets to judge by.
    public static let audioOnly = 6.0
}
