// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One ICE candidate, local or remote.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct CandidateStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Id of the `transport` entry the candidate belongs to.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-transportid)
    public var transportId: String?

    /// IP address or host name of the candidate; browsers may hide it.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-address)
    public var address: String?

    /// Port of the candidate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-port)
    public var port: Int64?

    /// `udp` or `tcp`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-protocol)
    public var `protocol`: String?

    /// How the candidate was found.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-candidatetype)
    public var candidateType: CandidateStats.CandidateType?

    /// Priority by RFC 8445.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-priority)
    public var priority: Int64?

    /// URL of the ICE server that gave the candidate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-url)
    public var url: String?

    /// How the client speaks to its TURN server.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-relayprotocol)
    public var relayProtocol: CandidateStats.RelayProtocol?

    /// Foundation by RFC 8445.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-foundation)
    public var foundation: String?

    /// Base address of a reflexive or relayed candidate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-relatedaddress)
    public var relatedAddress: String?

    /// Port that belongs to `relatedAddress`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-relatedport)
    public var relatedPort: Int64?

    /// ICE user name fragment.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-usernamefragment)
    public var usernameFragment: String?

    /// Which side opens a TCP candidate's connection.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatestats-tcptype)
    public var tcpType: CandidateStats.TCPType?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
