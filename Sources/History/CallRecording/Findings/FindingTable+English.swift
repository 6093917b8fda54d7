// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension FindingTable {
    /// The English table.
    public static let english: [FindingKind: Definition] = [
        .permissionDenied: Definition(
            .problem, [.device],
            "The microphone or camera was refused ({error}).",
            advice:
                "Allow the microphone and camera for this page in the browser, and for the browser in the "
                + "system's privacy settings; the page must be loaded over HTTPS."),
        .deviceBusy: Definition(
            .problem, [.device],
            "The microphone or camera could not be opened ({error}): another program uses it, or it "
                + "does not work.",
            advice: "Close other programs that use the microphone or camera, and connect it again."),
        .deviceNotFound: Definition(
            .problem, [.device],
            "No microphone or camera matches the request ({error}).",
            advice: "Connect one, or choose another in the settings; the app should ask for less if its "
                + "conditions cannot be met."),
        .captureFailed: Definition(
            .problem, [.device],
            "The microphone or camera could not be accessed ({error}).",
            advice: "See what the error's message says; try another browser or device."),
        .screenShareRefused: Definition(
            .information, [.device, .app],
            "The screen was not shared ({error}).",
            advice: "Nothing, if the user cancelled; otherwise allow recording the screen in the system's "
                + "privacy settings."),
        .captureEnded: Definition(
            .warning, [.device],
            "The {medium} stopped by itself {lifetime} after it was granted.",
            advice: "Check the device and its cable; the app should ask for another one when a track ends."),
        .captureEndedAtOnce: Definition(
            .problem, [.device],
            "The {medium} stopped {lifetime} after it was granted: the device stops immediately.",
            advice: "Connect the device again, and close other programs that use it."),
        .bluetooth: Definition(
            .information, [.device, .audio],
            "The microphone is connected by Bluetooth.",
            advice: "If audio is dull or late, use a cable, or the computer's own microphone."),
        .echoCancellationOff: Definition(
            .information, [.device, .audio, .app],
            "Echo cancellation was switched off by the app.",
            advice: "Turn it on unless everyone wears headphones."),
        .pageReloaded: Definition(
            .warning, [.app],
            "The page was loaded again {reloads}.",
            advice: "Ask the user why: something did not work for them."),
        .turnMissing: Definition(
            .information, [.connectivity, .app],
            "No TURN server was configured: where a firewall blocks direct paths, there will be no "
                + "call.",
            advice: "Configure a TURN server, over UDP, and over TLS on port 443."),
        .turnRefused: Definition(
            .warning, [.connectivity, .app],
            "The TURN server refused this client (error {code}).",
            advice:
                "Check the credentials' secret, their expiry, and the clock of the server that makes them."),
        .turnUnreachable: Definition(
            .warning, [.connectivity, .network],
            "No TURN server could be reached ({reason}).",
            advice:
                "Check that the TURN server runs, and that the network lets its ports through; offer TURN "
                + "over TLS on port 443."),
        .turnOverTCP: Definition(
            .information, [.connectivity, .network],
            "The call went through a relay over TCP, which delays media when packets are lost.",
            advice: "Allow UDP to the TURN server on this network."),
        .turnOverTLS: Definition(
            .information, [.connectivity, .network],
            "The call went through a relay over TLS, which delays media when packets are lost.",
            advice: "Allow UDP to the TURN server on this network."),
        .vpn: Definition(
            .information, [.network],
            "The call went through a VPN.",
            advice: "If it is slow, leave the VPN, or exempt calls from it."),
        .slowSTUN: Definition(
            .warning, [.connectivity],
            "It took {delay} to hear from a STUN server.",
            advice: "Use a STUN server that is closer, and remove those that do not answer."),
        .slowTURN: Definition(
            .warning, [.connectivity],
            "It took {delay} to get a relay from a TURN server.",
            advice: "Use a TURN server that is closer, and list the one over UDP first."),
        .slowSignaling: Definition(
            .warning, [.signaling],
            "It took {delay} until the offer was answered.",
            advice: "See what the signaling server and the other end did meanwhile; ringing time "
                + "is not a fault."),
        .slowICE: Definition(
            .warning, [.connectivity],
            "It took {delay} to find a path for the media.",
            advice: "Send candidates as they come, and see which of the TURN servers answer slowly."),
        .slowDTLS: Definition(
            .warning, [.connectivity],
            "The DTLS handshake took {delay} after a path had been found.",
            advice: "Look for loss on the path, and for an end whose processor is busy."),
        .repeatedSDPLines: Definition(
            .information, [.signaling, .app],
            "A session description repeats {lines} of its lines.",
            advice: "Look for what changes descriptions in the app or in the media server."),
        .restartUnanswered: Definition(
            .warning, [.signaling, .connectivity],
            "ICE was restarted, and the restart was never answered.",
            advice:
                "Check that the signaling was still connected, and that the other end handles a new offer."),
        .apiCallFailed: Definition(
            .information, [.app],
            "{method} failed: {reason}",
            advice: "Look for the cause in the app."),
        .connectionMissing: Definition(
            .information, [.app],
            "No peer connection was created.",
            advice: "See what the app waited for before it made the call."),
        .connectionUnused: Definition(
            .information, [.app],
            "A peer connection was created, and nothing was ever negotiated on it.",
            advice: "Create peer connections when they are needed, and close those that are not."),
        .connectionAborted: Definition(
            .warning, [.app],
            "The app closed the connection after {waited}, before it was connected.",
            advice: "If the user left, nothing; otherwise wait longer, and say that the connection is being "
                + "made."),
        .negotiationFailed: Definition(
            .problem, [.signaling, .app],
            "The connection was never established: {method} failed: {reason}",
            advice: "Look for the cause in the app, or in what changes descriptions on their way."),
        .negotiationUnfinished: Definition(
            .problem, [.signaling],
            "The connection was never established: {missing}.",
            advice: "Check the signaling: whether the other end got the offer, whether it answered, and "
                + "whether the answer arrived."),
        .noLocalCandidates: Definition(
            .problem, [.connectivity, .network],
            "The connection was never established: this end gathered no candidates.",
            advice: "Check that the device has a network, that no policy or extension of the browser forbids "
                + "WebRTC, and, where only relays are allowed, that the TURN server can be reached."),
        .noRemoteCandidates: Definition(
            .problem, [.signaling, .connectivity],
            "The connection was never established: no candidates of the other end arrived.",
            advice: "Check that the signaling passes candidates on, and that the other end has a network."),
        .onlyHostCandidates: Definition(
            .problem, [.connectivity, .network],
            "ICE failed after {delay}, and this end had only its own addresses to offer and no relay: {tried}.",
            advice: "Configure a TURN server, or see why it could not be reached from this network."),
        .iceFailed: Definition(
            .problem, [.connectivity, .network],
            "ICE failed after {delay}: {tried}.",
            advice: "Check that both networks let UDP or the TURN server's ports through, and that the TURN "
                + "server can reach the other end."),
        .dtlsFailed: Definition(
            .problem, [.connectivity],
            "A path was found, but the handshake that encrypts the media did not succeed ({state}).",
            advice:
                "Look for a changed fingerprint in the descriptions, an endpoint without a certificate, or a "
                + "firewall that drops large packets."),
        .neverEstablished: Definition(
            .problem, [.connectivity],
            "The connection was never established in {waited}; its last state was {state}.",
            advice: "Get a recording of the other end as well."),
        .connectionDropped: Definition(
            .problem, [.connectivity, .network],
            "The connection broke {after} after it was established, and did not come back.",
            advice: "Check the network of both ends at that time; the app should restart ICE."),
        .connectionInterrupted: Definition(
            .warning, [.connectivity, .network],
            "The connection was interrupted {count}, {time} in all.",
            advice: "Look for a change of network or weak Wi-Fi at these times."),
        .connectionChurn: Definition(
            .warning, [.connectivity, .app],
            "{count} connections lasted less than {limit} each.",
            advice: "Look for what ends them: the app, the server, or the network."),
        // The browser says it of the machine. What the call suffers from it is a finding of its own.
        .processorPressure: Definition(
            .information, [.processor],
            "The processor was under pressure in {share} of the call.",
            advice:
                "Nothing, if audio and video were well; otherwise close other programs, and lower the video resolution."
        ),
        .highRoundTripTime: Definition(
            .warning, [.network],
            "The round trip took {time} on average.",
            advice: "Use a server or relay that is closer; leave a VPN."),
        .packetLoss: Definition(
            .warning, [.network],
            "{share} of the {medium} packets {direction} were lost.",
            advice: "Use a cable or move closer to the Wi-Fi router, and stop other uploads and downloads."),
        .highJitter: Definition(
            .warning, [.network],
            "The {medium} {direction} had a jitter of {time}.",
            advice: "Use a cable or move closer to the Wi-Fi router."),
        .limitedByCPU: Definition(
            .warning, [.processor, .video],
            "The processor limited the sent video for {share} of the time.",
            advice: "Close other programs, lower the video resolution, or use hardware encoding."),
        .limitedByBandwidth: Definition(
            .warning, [.network, .video],
            "Bandwidth limited the sent video for {share} of the time.",
            advice: "Stop other uploads, or lower the video resolution."),
        .limitedByOther: Definition(
            .information, [.video],
            "Something other than processor and bandwidth limited the sent video for {share} of the "
                + "time.",
            advice: "See how the app sets the encoder, and what the device allows."),
        .slowEncoding: Definition(
            .warning, [.processor, .video],
            "A frame took {time} to encode.",
            advice: "Send smaller video, or use hardware encoding."),
        .slowDecoding: Definition(
            .warning, [.processor, .video],
            "A frame took {time} to decode.",
            advice: "Show fewer or smaller videos at once."),
        .videoFreezes: Definition(
            .warning, [.video],
            "Received video froze {count}, {time} in all.",
            advice: "See the diagnosis of these seconds for the cause."),
        .videoPauses: Definition(
            .information, [.video],
            "Received video paused {count}, {time} in all.",
            advice: "Nothing, if the camera was off; otherwise see the diagnosis of these seconds."),
        .lateMedia: Definition(
            .warning, [.audio, .video],
            "The first {medium} came {delay} after its track.",
            advice: "See what the sender did meanwhile, and whether it was asked for a key frame."),
        .audioInterruptions: Definition(
            .warning, [.audio],
            "{share} of the received audio was concealment for gaps.",
            advice: "See the diagnosis of these seconds for the cause."),
        .periodicFlushes: Definition(
            .information, [.audio, .device],
            "The audio's jitter buffer is emptied every few seconds, as when two clocks differ.",
            advice: "Choose another loudspeaker; a virtual audio device is often the cause."),
        .playoutDelay: Definition(
            .warning, [.audio],
            "Received audio was played {time} late.",
            advice: "Use a cable instead of Bluetooth or Wi-Fi."),
        .outOfSync: Definition(
            .warning, [.audio, .video],
            "The {late} was played {time} after its {early}.",
            advice: "Where all receivers have it, check the sender's clock and the media server; where one "
                + "has, show fewer or smaller videos there."),
        .playoutInterruptions: Definition(
            .warning, [.audio, .device, .processor],
            "Audio playout underran for {share} of the time.",
            advice: "Close other programs; choose another loudspeaker."),
        .sendDelay: Definition(
            .warning, [.network],
            "Packets of the sent {medium} waited {time} before they were sent.",
            advice: "Send less video, or stop other uploads."),
        .silentMicrophone: Definition(
            .information, [.device, .audio],
            "The microphone delivered nothing but digital silence.",
            advice: "Nothing, if it was muted; otherwise check its switch, and the device that the browser "
                + "uses."),
        .constantMicrophoneLevel: Definition(
            .warning, [.device, .audio],
            "The microphone's level never changed from {level}.",
            advice: "Choose the microphone again; its driver may have hung."),
        .missingMicrophoneLevel: Definition(
            .warning, [.device, .audio],
            "The microphone delivered {captured} of audio in {time}.",
            advice: "Choose the microphone again; its driver may have hung."),
    ]
}
