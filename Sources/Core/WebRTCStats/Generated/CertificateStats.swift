// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One certificate of a DTLS transport.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct CertificateStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Fingerprint of the certificate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccertificatestats-fingerprint)
    public var fingerprint: String?

    /// Hash function of the fingerprint, such as `sha-256`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccertificatestats-fingerprintalgorithm)
    public var fingerprintAlgorithm: String?

    /// The certificate in DER, as base64.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccertificatestats-base64certificate)
    public var base64Certificate: String?

    /// Id of the issuer's `certificate` entry.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccertificatestats-issuercertificateid)
    public var issuerCertificateId: String?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
