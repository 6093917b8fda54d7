// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Diagnosis.Cause {
    /// What problem comes from.
    package enum Origin: String, Sendable {
        case network, device
    }

    /// What the problem comes from; `nil` where nothing is wrong, nothing known, or it is on the way back.
    package var origin: Origin? {
        switch self {
        case .none, .unknown, .recovering: nil
        case .packetLoss, .bandwidth, .latency, .jitter, .connection, .media: .network
        case .cpu, .device: .device
        }
    }

    /// Whether it names something that is wrong.
    package var isProblem: Bool { origin != nil }
}
