// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Diagnosis {
    /// Causes of a problem.
    ///
    /// A new one is appended: its place is its number in the store.
    public enum Cause: String, Hashable, Codable, Sendable, CaseIterable {
        /// Nothing is wrong.
        case none
        /// The network loses packets.
        case packetLoss
        /// The network's capacity is below the demand.
        case bandwidth
        /// The round trip time is high.
        case latency
        /// Packets arrive irregularly.
        case jitter
        /// No packets arrive, or ICE is disconnected.
        case connection
        /// This device's CPU is overloaded.
        case cpu
        /// A microphone, camera or loudspeaker of this device does not work.
        case device
        /// Expected media is missing.
        case media
        /// The network is fine again; the sender's estimate is still climbing. No alarm.
        case recovering
        /// There is not enough data to judge.
        case unknown
        /// Audio and video of one sender are played at different times.
        case outOfSync
    }
}

// MARK: Definitions

extension Diagnosis.Cause {
    /// All there is to say of it, put together once.
    package var definition: CauseDefinition { Self.definitions[self] ?? defined }

    private static let definitions = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.defined) })

    /// Labels, sentences, what the API describes and what the dashboard shows follow from this.
    private var defined: CauseDefinition {
        switch self {
        case .none:
            CauseDefinition(
                "nothing wrong", nil, limitsEncoder: false,
                caller: "The call is fine. There is nothing to do.",
                support: "No impairment was found. Compare with the other side's view of the same time.",
                reportReader: "There is nothing to do.")

        case .packetLoss:
            CauseDefinition(
                "packet loss", .network, limitsEncoder: true,
                caller: CauseSentences(
                    """
                    The network is losing parts of the call. Move closer to the Wi-Fi on both sides, or use cables.
                    """,
                    uplink: """
                        Your network is losing parts of what you send. Move closer to the Wi-Fi, or use a cable.
                        """,
                    downlink: """
                        Your network is losing parts of what you receive. Move closer to the Wi-Fi, or use a cable.
                        """,
                    remote: """
                        The other side's network is losing parts of what they send. \
                        Ask them to move closer to their Wi-Fi.
                        """,
                    bothOrUnclear: """
                        A network between you is losing parts of the call. \
                        Move closer to the Wi-Fi on both sides, or use cables.
                        """),
                support: CauseSentences(
                    """
                    Packets are lost, but the round-trip time does not rise with the loss. \
                    Compare with a call over a cable.
                    """,
                    uplink: """
                        Packets are lost on this client's uplink. \
                        Compare with a call over a cable; if packets are lost there too, contact the provider.
                        """,
                    downlink: """
                        Packets are lost on this client's downlink. \
                        Compare with a call over a cable; if packets are lost there too, contact the provider.
                        """,
                    remote: """
                        Packets are lost on the publisher's uplink; this client's own path is fine. \
                        Look at the publisher's view.
                        """,
                    bothOrUnclear: """
                        Packets are lost, on both sides or on a side that cannot be determined. \
                        Look at both sides' views.
                        """),
                reportReader: .onSide {
                    """
                    use a cable or move closer to the access point. \
                    If packets are lost by cable as well, ask the provider about the \($0).
                    """
                })

        case .bandwidth:
            CauseDefinition(
                "too little bandwidth", .network, limitsEncoder: true,
                caller: CauseSentences(
                    "The network is too slow for this call. Turn video off, or stop other downloads and uploads.",
                    uplink: """
                        Your upload is too slow for the video you send. Turn your video off, or stop other uploads.
                        """,
                    downlink: """
                        Your download is too slow for the video you receive. \
                        Turn video off, or stop other downloads.
                        """,
                    remote: """
                        The other side's upload is too slow for their video. \
                        Ask them to turn it off, or to stop other uploads.
                        """,
                    bothOrUnclear: """
                        The network is too slow for this call. Turn video off, or stop other downloads and uploads.
                        """),
                support: CauseSentences(
                    """
                    The estimate is below what the wanted media need. \
                    Find out what else uses the line, or lower the resolution.
                    """,
                    uplink: """
                        The uplink estimate is below what the enabled layers need. \
                        Find out what else sends, or lower the resolution.
                        """,
                    downlink: """
                        The downlink estimate is below what the wanted layer needs. \
                        Find out what else receives, or lower the preferred resolution.
                        """,
                    remote: """
                        The publisher's uplink estimate is below what its layers need. Look at the publisher's view.
                        """,
                    bothOrUnclear: """
                        The estimate is below what the media need, on both sides or on a side that cannot be determined. \
                        Look at both sides' views.
                        """),
                reportReader: .onSide { "stop other traffic on the \($0), or lower the video resolution." })

        case .latency:
            CauseDefinition(
                "high latency", .network, limitsEncoder: false,
                caller: """
                    There is a long delay between you. Switch a VPN off if there is one, and take turns speaking.
                    """,
                support: """
                    The round trip time is high without a queue. \
                    Look for a VPN, a relay or a distant server on the path.
                    """,
                reportReader: .onSide { _ in "switch a VPN off, or use a server or relay that is nearer." })

        case .jitter:
            CauseDefinition(
                "high jitter", .network, limitsEncoder: true,
                caller: CauseSentences(
                    "The connection is unstable. Move closer to the Wi-Fi on both sides, or use cables.",
                    uplink:
                        "Your upload is unstable. Move closer to the Wi-Fi, or use a cable.",
                    downlink:
                        "Your download is unstable. Move closer to the Wi-Fi, or use a cable.",
                    remote:
                        "The other side's upload is unstable. Ask them to move closer to their Wi-Fi.",
                    bothOrUnclear:
                        "The connection is unstable. Move closer to the Wi-Fi on both sides, or use cables."
                ),
                support: CauseSentences(
                    "Jitter is high. Compare with a call over a cable.",
                    uplink: "Jitter is high on this client's uplink. Compare with a call over a cable.",
                    downlink: "Jitter is high on this client's downlink. Compare with a call over a cable.",
                    remote: "Jitter is high on the publisher's uplink. Look at the publisher's view.",
                    bothOrUnclear: """
                        Jitter is high, on both sides or on a side that cannot be determined. \
                        Look at both sides' views.
                        """),
                reportReader: .onSide { _ in "use a cable, or a less congested wireless channel." })

        case .connection:
            CauseDefinition(
                "interrupted connection", .network, limitsEncoder: true,
                caller: CauseSentences(
                    "The connection is interrupted. Check your internet connection.",
                    uplink: "Your connection is interrupted. Check your internet connection.",
                    downlink: "Your connection is interrupted. Check your internet connection.",
                    remote: "The other side's connection is interrupted. Wait a moment, or call again.",
                    bothOrUnclear: """
                        The connection between you is interrupted. Check your internet connection, or call again.
                        """),
                support: CauseSentences(
                    """
                    Nothing gets through, or ICE is disconnected. \
                    Check for a network change, a firewall or a sleeping device.
                    """,
                    uplink: """
                        Nothing this client sends gets through, or ICE is disconnected. \
                        Check for a network change, a firewall or a sleeping device.
                        """,
                    downlink: """
                        Nothing reaches this client, or ICE is disconnected. \
                        Check for a network change, a firewall or a sleeping device.
                        """,
                    remote: """
                        Nothing arrives from the publisher, while this client's own path is fine. \
                        Look at the publisher's view.
                        """,
                    bothOrUnclear: """
                        Nothing gets through, on both sides or on a side that cannot be determined. \
                        Look at both sides' views.
                        """),
                reportReader: .onSide { _ in
                    "check whether the network changed or dropped at that time, and whether a TURN server is reachable."
                })

        case .cpu:
            CauseDefinition(
                "overloaded processor", .device, limitsEncoder: true,
                caller: CauseSentences(
                    """
                    This device is too busy for the call. Close other programs, or turn your video off.
                    """,
                    remote:
                        "The other side's device is too busy for the call. Ask them to close other programs."),
                support: CauseSentences(
                    """
                    The encoder or the decoder cannot keep up; the network is not the limit. \
                    Lower resolution or frame rate.
                    """,
                    remote: "The publisher's encoder cannot keep up. Look at the publisher's view."),
                reportReader: .onSide { _ in "close other programs, or use a lower resolution or frame rate."
                })

        case .device:
            CauseDefinition(
                "device problem", .device, limitsEncoder: false,
                caller: CauseSentences(
                    """
                    Your microphone or camera delivers nothing. \
                    Check that it is plugged in, switched on and not muted.
                    """,
                    downlink: """
                        Audio playback cannot keep up on this device. Close other programs, or use another speaker or headset.
                        """),
                support: CauseSentences(
                    """
                    A capture device delivers silence or too few frames although it is not muted. \
                    Try another device.
                    """,
                    downlink: """
                        Playout underruns on this device, independently of the network. \
                        Try another output device.
                        """),
                reportReader: CauseSentences(
                    "On either side, check that the right devices are chosen, free and not muted.",
                    uplink: """
                        On the sending side, check that the right microphone and camera are chosen, \
                        free and not muted.
                        """,
                    downlink: """
                        On the receiving side, close other programs, or use another speaker or headset.
                        """))

        case .media:
            CauseDefinition(
                "missing audio or video", .network, limitsEncoder: false,
                caller: CauseSentences(
                    "No audio or video is coming through. Leave the call and join again.",
                    remote: """
                        No audio or video comes from the other side. Ask them to leave the call and join again.
                        """),
                support: CauseSentences(
                    """
                    The path works, but media that should flow does not. \
                    Check permissions, the capture device and the subscription.
                    """,
                    remote: """
                        This client's path works, but the publisher's media does not arrive. \
                        Look at the publisher's view.
                        """),
                reportReader: .onSide { _ in
                    "check that the stream is published and not muted. The network was fine."
                })

        case .recovering:
            CauseDefinition(
                "recovering", nil, limitsEncoder: true,
                caller:
                    "The network has recovered, and the video quality is improving. There is nothing to do.",
                support: """
                    The impairment is over, and the bandwidth estimate is still climbing. \
                    Look at what came before.
                    """,
                reportReader: "There is nothing to do.")

        case .unknown:
            CauseDefinition(
                "not enough data", nil, limitsEncoder: nil,
                caller: CauseSentences(
                    "There is not enough data on the call yet. Wait a moment.",
                    remote: """
                        Something is wrong with the other side's network. Ask them to move closer to their Wi-Fi.
                        """,
                    bothOrUnclear: """
                        Something is wrong with a network between you. \
                        Move closer to the Wi-Fi on both sides, or use cables.
                        """),
                support: CauseSentences(
                    """
                    There is not enough data to judge by. \
                    Check that reports arrive and say what was wanted of the media.
                    """,
                    remote:
                        "The publisher's uplink is bad, and the cause is not known. Look at the publisher's view.",
                    bothOrUnclear: """
                        The path is bad, on both sides or on a side that cannot be determined. \
                        Look at both sides' views.
                        """),
                reportReader: "Record for longer, with reports of the peer connections that carry the call.")

        case .outOfSync:
            CauseDefinition(
                "audio and video out of sync", .device, limitsEncoder: false,
                caller: CauseSentences(
                    """
                    Voice and lips do not match. Close other programs on both sides, or leave the call and join again.
                    """,
                    remote: """
                        Voice and lips of the other side do not match. Ask them to leave the call and join again.
                        """),
                support: """
                    Audio and video of one sender are played at different times. \
                    Compare with what another receiver of the same sender sees.
                    """,
                reportReader: """
                    Compare receivers: where all of them show it, look at the sender's clock and the media server, \
                    else at the receiver's device.
                    """)
        }
    }

    /// What the problem comes from; `nil` where nothing is wrong, nothing known, or it is on the way back.
    package var origin: CauseDefinition.Origin? { definition.origin }

    /// Whether it names something that is wrong.
    package var isProblem: Bool { origin != nil }
}

extension Diagnosis.Cause: OpenVocabulary {
    package static var unrecognized: Self { .unknown }
}

extension Diagnosis.Cause: LabelledWord {
    package static var vocabulary: String { "Cause" }
    package var label: String { definition.label }
}
