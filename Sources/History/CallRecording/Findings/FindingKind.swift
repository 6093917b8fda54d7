// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What can be found about a call, a peer connection or a stream.
public enum FindingKind: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The user, the system or the page's policy refused the microphone or the camera.
    case permissionDenied
    /// The microphone or camera is there, but could not be opened.
    case deviceBusy
    /// There is no microphone or camera, or none as was asked for.
    case deviceNotFound
    /// The microphone or camera was not given for another reason.
    case captureFailed
    /// The screen was not shared, most often since the user changed their mind.
    case screenShareRefused
    /// A microphone or camera stopped by itself.
    case captureEnded
    /// A microphone or camera stopped within a second of being granted.
    case captureEndedAtOnce
    /// The microphone is connected by Bluetooth, which is worse at both ends of its band.
    case bluetooth
    /// The app asked for a microphone without echo cancellation.
    case echoCancellationOff
    /// The page was loaded again and again in one session.
    case pageReloaded
    /// No TURN server was configured.
    case turnMissing
    /// A TURN server refused the credentials.
    case turnRefused
    /// TURN servers were configured, and none could be reached.
    case turnUnreachable
    /// The call went through TURN over TCP.
    case turnOverTCP
    /// The call went through TURN over TLS.
    case turnOverTLS
    /// The call went through a VPN.
    case vpn
    /// The first answer of a STUN server took long.
    case slowSTUN
    /// The first relay took long to get.
    case slowTURN
    /// An offer was answered late.
    case slowSignaling
    /// ICE took long to find a path.
    case slowICE
    /// The handshake took long after a path had been found.
    case slowDTLS
    /// A description says the same line twice in a section.
    case repeatedSDPLines
    /// ICE was restarted, and the restart never came to an answer.
    case restartUnanswered
    /// A call of the WebRTC API failed, and the connection came to be all the same.
    case apiCallFailed
    /// The page did something, and created no peer connection.
    case connectionMissing
    /// A peer connection was created and never used.
    case connectionUnused
    /// The app closed the peer connection before it was connected.
    case connectionAborted
    /// A description was refused, and the connection never came to be.
    case negotiationFailed
    /// Offer and answer were never complete.
    case negotiationUnfinished
    /// This end found no candidates.
    case noLocalCandidates
    /// The other end's candidates never arrived.
    case noRemoteCandidates
    /// ICE failed, and this end had none but its own addresses.
    case onlyHostCandidates
    /// ICE failed: none of the paths worked.
    case iceFailed
    /// A path was found, and no keys were agreed upon.
    case dtlsFailed
    /// The connection never came to be, and nothing says why.
    case neverEstablished
    /// The connection broke, and did not come back.
    case connectionDropped
    /// The connection was interrupted and came back.
    case connectionInterrupted
    /// Connections were made again and again.
    case connectionChurn
    /// The browser saw the processor under pressure.
    case processorPressure
    /// The round trip took long.
    case highRoundTripTime
    /// Packets of a stream were lost.
    case packetLoss
    /// Packets of a stream came irregularly.
    case highJitter
    /// The processor limited the video that was sent.
    case limitedByCPU
    /// Bandwidth limited the video that was sent.
    case limitedByBandwidth
    /// Something else limited the video that was sent.
    case limitedByOther
    /// Frames took long to encode.
    case slowEncoding
    /// Frames took long to decode.
    case slowDecoding
    /// Received video froze.
    case videoFreezes
    /// Received video paused for more than 5 s at a time.
    case videoPauses
    /// A received track's media came late.
    case lateMedia
    /// Received audio had audible gaps.
    case audioInterruptions
    /// The audio's jitter buffer was emptied in a steady rhythm.
    case periodicFlushes
    /// Received audio was played late.
    case playoutDelay
    /// Audio and video of one sender were played at different times.
    case outOfSync
    /// The loudspeaker could not be served in time.
    case playoutInterruptions
    /// Packets waited long before they were sent.
    case sendDelay
    /// The microphone gave digital silence throughout.
    case silentMicrophone
    /// The microphone's level never changed.
    case constantMicrophoneLevel
    /// The microphone gave hardly any audio.
    case missingMicrophoneLevel
}
