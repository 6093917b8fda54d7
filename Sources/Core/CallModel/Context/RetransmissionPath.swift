// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How retransmissions of a stream travel; it decides what its loss counters mean, see <doc:TwoLosses>.
public enum RetransmissionPath: String, Hashable, Codable, Sendable, CaseIterable {
    /// On the media's own SSRC: what was repaired vanishes from `packetsLost`.
    case mediaSSRC
    /// On an SSRC of their own (RTX, RFC 4588): `packetsLost` counts what the network lost.
    case ownSSRC
}
