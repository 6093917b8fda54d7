// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The right diagnosis, known from the schedule alone.
package struct Label: Sendable, Equatable {
    /// Causes that are right; several where the schedule cannot distinguish them.
    package var causes: Set<Diagnosis.Cause>
    /// Directions that are right; `nil` where none is judged.
    package var directions: Set<NetworkDirection>?
    /// Sides that are right at bob; `nil` where none is judged.
    package var sides: Set<NetworkDegradationSource>?
    /// Seconds after its beginning before it is held against the observer.
    package var settling: Double

    /// Describes what is right.
    package init(
        causes: Set<Diagnosis.Cause>, directions: Set<NetworkDirection>? = nil,
        sides: Set<NetworkDegradationSource>? = nil, settling: Double = Settling.usual
    ) {
        self.causes = causes
        self.directions = directions
        self.sides = sides
        self.settling = settling
    }

    /// Nothing is wrong.
    package static let well = Label(causes: [.none], sides: [.none])

    /// The problem is over; whether the estimate has climbed by now is not for the schedule to know.
    ///
    /// No one is blamed any more, but which side recovers may be said.
    package static func recovering(settling: Double = Settling.usual) -> Label {
        Label(causes: [.recovering, .none], settling: settling)
    }

    /// One cause in one direction.
    package static func fault(
        _ cause: Diagnosis.Cause, _ directions: Set<NetworkDirection>?,
        side: NetworkDegradationSource? = nil, settling: Double = Settling.usual
    ) -> Label {
        Label(causes: [cause], directions: directions, sides: side.map { [$0] }, settling: settling)
    }

    /// Whether something is wrong.
    package var isFault: Bool { causes.isDisjoint(with: [.none, .recovering]) }
}

/// Seconds that an observer has after a change.
package enum Settling {
    /// After most changes.
    package static let usual = 4.0
    /// After changes of the bandwidth.
    package static let bandwidth = 8.0
    /// In calls without video, which have fewer packets to judge by.
    package static let audioOnly = 6.0
}
