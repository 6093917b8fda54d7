// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// Kinds of addresses that a client may have the router send to.
///
/// A remote candidate is an order to send packets to an address of the client's choice. Other candidates than
/// these, host names (mDNS too), TCP and addresses that are no one's end of a call (multicast, unspecified,
/// cloud metadata) are omitted. A client whose candidates are omitted still connects where its own packets
/// reach the router.
package struct CandidateKinds: OptionSet, Sendable, Hashable {
    /// The bits of `router.h`.
    package let rawValue: UInt32

    /// Makes a set of kinds.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Addresses of the internet.
    package static let publicAddresses = CandidateKinds(rawValue: UInt32(SL_CANDIDATES_PUBLIC))
    /// Addresses of private networks: RFC 1918, 100.64.0.0/10, fc00::/7.
    package static let privateAddresses = CandidateKinds(rawValue: UInt32(SL_CANDIDATES_PRIVATE))
    /// The machine itself.
    package static let loopback = CandidateKinds(rawValue: UInt32(SL_CANDIDATES_LOOPBACK))
    /// The machine's own link: 169.254.0.0/16, fe80::/10.
    package static let linkLocal = CandidateKinds(rawValue: UInt32(SL_CANDIDATES_LINK_LOCAL))
}
