// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@testable import CallQuality

/// Evidence of a pass in which everything is as good as it gets, to be spoilt.
func goodEvidence() -> PassEvidence {
    var evidence = PassEvidence()
    for direction in [\PassEvidence.uplink, \.downlink] {
        evidence[keyPath: direction].bandwidth = 5_000_000
        evidence[keyPath: direction].audio = MediumEvidence(bitrate: 40_000, deviation: 500, readings: 10)
        evidence[keyPath: direction].video = MediumEvidence(
            bitrate: 1_200_000, deviation: 50_000, readings: 10)
        evidence[keyPath: direction].loss = LossTally(lost: 0, expected: 1000)
    }
    return evidence
}

extension PreCallMeasurement.Pass {
    init(evidence: PassEvidence) {
        self.init()
        self.evidence = evidence
    }
}
