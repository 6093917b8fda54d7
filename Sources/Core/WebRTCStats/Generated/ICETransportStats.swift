// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One ICE and DTLS transport (W3C type `transport`).
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct ICETransportStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Packets sent over the transport (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-packetssent)
    public var packetsSent: UInt64?

    /// Packets received over the transport (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-packetsreceived)
    public var packetsReceived: UInt64?

    /// Payload bytes sent, without IP and UDP headers (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-bytessent)
    public var bytesSent: UInt64?

    /// Payload bytes received, without IP and UDP headers (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-bytesreceived)
    public var bytesReceived: UInt64?

    /// Which side nominates candidate pairs.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-icerole)
    public var iceRole: ICETransportStats.ICERole?

    /// Local ICE user name fragment.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-icelocalusernamefragment)
    public var iceLocalUsernameFragment: String?

    /// State of the DTLS transport.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-dtlsstate)
    public var dtlsState: ICETransportStats.DTLSState?

    /// State of the ICE transport.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-icestate)
    public var iceState: ICETransportStats.ICEState?

    /// Id of the `candidate-pair` entry in use.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-selectedcandidatepairid)
    public var selectedCandidatePairId: String?

    /// Id of the local `certificate` entry.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-localcertificateid)
    public var localCertificateId: String?

    /// Id of the remote `certificate` entry.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-remotecertificateid)
    public var remoteCertificateId: String?

    /// DTLS version as four hexadecimal digits, such as `FEFD`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-tlsversion)
    public var tlsVersion: String?

    /// DTLS cipher suite by its IANA name.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-dtlscipher)
    public var dtlsCipher: String?

    /// Which side opened the DTLS handshake.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-dtlsrole)
    public var dtlsRole: ICETransportStats.DTLSRole?

    /// SRTP protection profile by its IANA name.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-srtpcipher)
    public var srtpCipher: String?

    /// Times the selected pair changed, from none to the first one included.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-selectedcandidatepairchanges)
    public var selectedCandidatePairChanges: UInt64?

    /// RFC 8888 congestion control feedback messages sent (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-ccfbmessagessent)
    public var ccfbMessagesSent: UInt64?

    /// RFC 8888 congestion control feedback messages received (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtctransportstats-ccfbmessagesreceived)
    public var ccfbMessagesReceived: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
