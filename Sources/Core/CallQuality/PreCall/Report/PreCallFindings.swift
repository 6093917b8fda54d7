// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a pre-call test has found out so far.
package struct PreCallFindings: Sendable {
    package var connectivity = PreCallReport.Connectivity()
    package var connectivityCounters = ConnectivityCounters()
    /// Whether what the test sends at first is too much for the path.
    package var isPathFull = false
    /// What was read before the measurement began.
    package var firstMeasurements = PathMeasurements()
    /// `nil` before anything was measured.
    package var measurement: PreCallMeasurement?
    /// Whether the client cannot fill the uplink, so that media alone show what it carries.
    package private(set) var uplinkIsNotFilled = false
    package private(set) var samples: [PreCallSample] = []
    package private(set) var endedEarly = false

    /// Nothing yet.
    package init() {}

    /// Time is up, whatever has been measured.
    package mutating func endInTime() { measurement?.isOutOfTime = true }

    /// Takes what a plan has found out so far.
    package mutating func note(_ plan: QualityPlan) {
        measurement = plan.measurement ?? measurement
        samples = plan.samples
        uplinkIsNotFilled = plan.uplinkIsNotFilled
        endedEarly = plan.endedEarly
    }
}
