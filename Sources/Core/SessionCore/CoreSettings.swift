// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaPolicy
import SessionWire

/// What a server was configured with; the same for all its sessions.
final class CoreSettings: Sendable {
    let limits: SessionServerLimits
    let timeouts: SessionServerTimeouts
    /// STUN and TURN servers for a client of this name.
    let iceServers: @Sendable (_ client: String, CoreTime) -> [ICEServer]
    let audioFallback: AudioFallbackRules
    let quality: QualityConfiguration
    /// Whether the router's legs are made so that networks can be emulated on them.
    let emulatesNetworks: Bool
    let seal: RestorationSeal
    /// This run of the server.
    let instance: String

    init(
        limits: SessionServerLimits, timeouts: SessionServerTimeouts,
        iceServers: @escaping @Sendable (String, CoreTime) -> [ICEServer],
        audioFallback: AudioFallbackRules, quality: QualityConfiguration, emulatesNetworks: Bool,
        seal: RestorationSeal, instance: String
    ) {
        self.limits = limits
        self.timeouts = timeouts
        self.iceServers = iceServers
        self.audioFallback = audioFallback
        self.quality = quality
        self.emulatesNetworks = emulatesNetworks
        self.seal = seal
        self.instance = instance
    }
}

// MARK: - What an earlier run of the server had

extension CoreSettings {
    /// What a client of an earlier run of the server had; `nil` if it had nothing, or its token is not in order.
    ///
    /// Clients come back with the token that they have joined with before; what comes with another one is none of
    /// theirs.
    func restorable(
        _ token: String?, _ subject: RestorationSeal.Claim.Subject, _ grant: TokenGrant, at now: CoreTime
    ) -> RestorationSeal.Claim? {
        guard let claim = token.flatMap(seal.open), claim.subject == subject, claim.session == grant.session,
            claim.instance != instance, claim.grant == grant.id, Self.isCurrent(claim, at: now)
        else { return nil }
        return claim
    }

    /// Whether a claim was made while a token that is still good may have been.
    private static func isCurrent(_ claim: RestorationSeal.Claim, at now: CoreTime) -> Bool {
        let age = (now.unix - claim.issued) / 1000
        let leeway = TokenGrant.leeway.seconds
        return age > -leeway && age < TokenGrant.maximumLifetime.seconds
    }

    /// A token by which a member of a session has something again on a server that was restarted.
    ///
    /// - Parameter nonce: No one can guess it.
    func restoration(
        _ subject: RestorationSeal.Claim.Subject, id: String, creationTime: Double, of member: Identity,
        in session: SessionID, _ mediaMode: MediaMode, at now: CoreTime, nonce: String
    ) -> String {
        seal.seal(
            .init(
                subject: subject, instance: instance, session: session.rawValue, mediaMode: mediaMode,
                connection: member.description.id, id: id, creationTime: creationTime, grant: member.grant.id,
                issued: now.unix, nonce: nonce))
    }
}
