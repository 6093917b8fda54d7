// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a diagnosis means and what to do about it, for the caller, for support and for a report's reader.
///
/// The table can be replaced, for another language or another tone. Keys are `cause`, or `cause.direction`,
/// or `cause.direction.side`, with `caller.`, `support.` or `reportReader.` before them; the longest that is
/// there counts. Without a direction it is `cause.side`.
public struct DiagnosisSentences: Sendable, Equatable, Codable {
    /// Whom a sentence is for.
    public enum Audience: String, Sendable, CaseIterable {
        /// Someone in the call.
        case caller
        /// Someone who helps them.
        case support
        /// Someone who reads about the call afterwards, and sees elsewhere what was wrong: only what to do.
        ///
        /// The uplink is the sending side's, the downlink the receiving side's.
        case reportReader
    }

    /// The sentences by their keys.
    public var table: [String: String]

    /// Creates a table; what it lacks has no sentence.
    public init(table: [String: String] = DiagnosisSentences.english) { self.table = table }

    /// The sentence of a diagnosis; `nil` if the table has none.
    public func sentence(for diagnosis: Diagnosis, to audience: Audience) -> String? {
        var key = "\(audience.rawValue).\(diagnosis.cause.rawValue)"
        var keys = [key]
        if let direction = diagnosis.direction {
            key += ".\(direction.rawValue)"
            keys.append(key)
        }
        if let side = diagnosis.side { keys.append("\(key).\(side.name)") }
        return keys.reversed().lazy.compactMap { table[$0] }.first
    }

    /// The English table: the problem, then the advice.
    public static let english: [String: String] = [
        "caller.none": "The call is fine. There is nothing to do.",
        "caller.packetLoss":
            "The network is losing parts of the call. Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.packetLoss.uplink":
            "Your network is losing parts of what you send. Move closer to the Wi-Fi, or use a cable.",
        "caller.packetLoss.downlink":
            "Your network is losing parts of what you receive. Move closer to the Wi-Fi, or use a cable.",
        "caller.packetLoss.uplink.remote":
            "The other side's network is losing parts of what they send. "
            + "Ask them to move closer to their Wi-Fi.",
        "caller.packetLoss.uplink.bothOrUnclear":
            "A network between you is losing parts of the call. "
            + "Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.packetLoss.downlink.remote":
            "The other side's network is losing parts of what they send. "
            + "Ask them to move closer to their Wi-Fi.",
        "caller.packetLoss.downlink.bothOrUnclear":
            "A network between you is losing parts of the call. "
            + "Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.packetLoss.uplink.none":
            "The other side's network is losing parts of what they send. "
            + "Ask them to move closer to their Wi-Fi.",
        "caller.packetLoss.uplink.unknown":
            "The other side's network is losing parts of what they send. "
            + "Ask them to move closer to their Wi-Fi.",
        "caller.bandwidth":
            "The network is too slow for this call. Turn video off, or stop other downloads and uploads.",
        "caller.bandwidth.uplink":
            "Your upload is too slow for the video you send. Turn your video off, or stop other uploads.",
        "caller.bandwidth.downlink":
            "Your download is too slow for the video you receive. Turn video off, or stop other downloads.",
        "caller.bandwidth.uplink.remote":
            "The other side's upload is too slow for their video. "
            + "Ask them to turn it off, or to stop other uploads.",
        "caller.bandwidth.uplink.bothOrUnclear":
            "The network is too slow for this call. Turn video off, or stop other downloads and uploads.",
        "caller.bandwidth.downlink.remote":
            "The other side's upload is too slow for their video. "
            + "Ask them to turn it off, or to stop other uploads.",
        "caller.bandwidth.downlink.bothOrUnclear":
            "The network is too slow for this call. Turn video off, or stop other downloads and uploads.",
        "caller.bandwidth.uplink.none":
            "The other side's upload is too slow for their video. "
            + "Ask them to turn it off, or to stop other uploads.",
        "caller.bandwidth.uplink.unknown":
            "The other side's upload is too slow for their video. "
            + "Ask them to turn it off, or to stop other uploads.",
        "caller.latency":
            "There is a long delay between you. Switch a VPN off if there is one, and take turns speaking.",
        "caller.jitter": "The connection is unstable. Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.jitter.uplink": "Your upload is unstable. Move closer to the Wi-Fi, or use a cable.",
        "caller.jitter.downlink":
            "Your download is unstable. Move closer to the Wi-Fi, or use a cable.",
        "caller.jitter.uplink.remote":
            "The other side's upload is unstable. Ask them to move closer to their Wi-Fi.",
        "caller.jitter.uplink.bothOrUnclear":
            "The connection is unstable. Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.jitter.downlink.remote":
            "The other side's upload is unstable. Ask them to move closer to their Wi-Fi.",
        "caller.jitter.downlink.bothOrUnclear":
            "The connection is unstable. Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.jitter.uplink.none":
            "The other side's upload is unstable. Ask them to move closer to their Wi-Fi.",
        "caller.jitter.uplink.unknown":
            "The other side's upload is unstable. Ask them to move closer to their Wi-Fi.",
        "caller.connection": "The connection is interrupted. Check your internet connection.",
        "caller.connection.uplink": "Your connection is interrupted. Check your internet connection.",
        "caller.connection.downlink": "Your connection is interrupted. Check your internet connection.",
        "caller.connection.uplink.remote":
            "The other side's connection is interrupted. Wait a moment, or call again.",
        "caller.connection.uplink.bothOrUnclear":
            "The connection between you is interrupted. Check your internet connection, or call again.",
        "caller.connection.downlink.remote":
            "The other side's connection is interrupted. Wait a moment, or call again.",
        "caller.connection.downlink.bothOrUnclear":
            "The connection between you is interrupted. Check your internet connection, or call again.",
        "caller.connection.uplink.none":
            "The other side's connection is interrupted. Wait a moment, or call again.",
        "caller.connection.uplink.unknown":
            "The other side's connection is interrupted. Wait a moment, or call again.",
        "caller.cpu": "This device is too busy for the call. Close other programs, or turn your video off.",
        "caller.device":
            "Your microphone or camera delivers nothing. "
            + "Check that it is plugged in, switched on and not muted.",
        "caller.media": "No audio or video is coming through. Leave the call and join again.",
        "caller.media.remote":
            "No audio or video comes from the other side. Ask them to leave the call and join again.",
        "caller.recovering":
            "The network is fine again, and the video is getting better. There is nothing to do.",
        "caller.unknown": "It is not known yet how the call is doing. Wait a moment.",
        "caller.unknown.uplink.remote":
            "Something is wrong with the other side's network. Ask them to move closer to their Wi-Fi.",
        "caller.unknown.uplink.bothOrUnclear":
            "Something is wrong with a network between you. "
            + "Move closer to the Wi-Fi on both sides, or use cables.",
        "caller.unknown.uplink.none":
            "Something is wrong with the other side's network. Ask them to move closer to their Wi-Fi.",
        "caller.unknown.uplink.unknown":
            "Something is wrong with the other side's network. Ask them to move closer to their Wi-Fi.",
        "support.none": "No impairment was found. Compare with the other side's view of the same time.",
        "support.packetLoss":
            "Packets are lost, and the round trip time does not rise with it. "
            + "Compare with a call over a cable.",
        "support.packetLoss.uplink":
            "Packets are lost on this client's uplink. "
            + "Compare with a call over a cable; if it loses too, take it to the provider.",
        "support.packetLoss.downlink":
            "Packets are lost on this client's downlink. "
            + "Compare with a call over a cable; if it loses too, take it to the provider.",
        "support.packetLoss.uplink.remote":
            "Packets are lost on the publisher's uplink; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.packetLoss.uplink.bothOrUnclear":
            "Packets are lost, on both sides or on a side that cannot be determined. Look at both sides' views.",
        "support.packetLoss.downlink.remote":
            "Packets are lost on the publisher's uplink; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.packetLoss.downlink.bothOrUnclear":
            "Packets are lost, on both sides or on a side that cannot be determined. Look at both sides' views.",
        "support.packetLoss.uplink.none":
            "Packets are lost on the publisher's uplink; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.packetLoss.uplink.unknown":
            "Packets are lost on the publisher's uplink; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.bandwidth":
            "The estimate is below what the wanted media need. "
            + "Find out what else uses the line, or lower the resolution.",
        "support.bandwidth.uplink":
            "The uplink estimate is below what the enabled layers need. "
            + "Find out what else sends, or lower the resolution.",
        "support.bandwidth.downlink":
            "The downlink estimate is below what the wanted layer needs. "
            + "Find out what else receives, or lower the preferred resolution.",
        "support.bandwidth.uplink.remote":
            "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
        "support.bandwidth.uplink.bothOrUnclear":
            "The estimate is below what the media need, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.bandwidth.downlink.remote":
            "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
        "support.bandwidth.downlink.bothOrUnclear":
            "The estimate is below what the media need, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.bandwidth.uplink.none":
            "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
        "support.bandwidth.uplink.unknown":
            "The publisher's uplink estimate is below what its layers need. Look at the publisher's view.",
        "support.latency":
            "The round trip time is high without a queue. "
            + "Look for a VPN, a relay or a distant server on the path.",
        "support.jitter": "Jitter is high. Compare with a call over a cable.",
        "support.jitter.uplink":
            "Jitter is high on this client's uplink. Compare with a call over a cable.",
        "support.jitter.downlink":
            "Jitter is high on this client's downlink. Compare with a call over a cable.",
        "support.jitter.uplink.remote":
            "Jitter is high on the publisher's uplink. Look at the publisher's view.",
        "support.jitter.uplink.bothOrUnclear":
            "Jitter is high, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.jitter.downlink.remote":
            "Jitter is high on the publisher's uplink. Look at the publisher's view.",
        "support.jitter.downlink.bothOrUnclear":
            "Jitter is high, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.jitter.uplink.none":
            "Jitter is high on the publisher's uplink. Look at the publisher's view.",
        "support.jitter.uplink.unknown":
            "Jitter is high on the publisher's uplink. Look at the publisher's view.",
        "support.connection":
            "Nothing gets through, or ICE is disconnected. "
            + "Check for a network change, a firewall or a sleeping device.",
        "support.connection.uplink":
            "Nothing this client sends gets through, or ICE is disconnected. "
            + "Check for a network change, a firewall or a sleeping device.",
        "support.connection.downlink":
            "Nothing reaches this client, or ICE is disconnected. "
            + "Check for a network change, a firewall or a sleeping device.",
        "support.connection.uplink.remote":
            "Nothing comes from the publisher; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.connection.uplink.bothOrUnclear":
            "Nothing gets through, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.connection.downlink.remote":
            "Nothing comes from the publisher; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.connection.downlink.bothOrUnclear":
            "Nothing gets through, on both sides or on a side that cannot be determined. "
            + "Look at both sides' views.",
        "support.connection.uplink.none":
            "Nothing comes from the publisher; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.connection.uplink.unknown":
            "Nothing comes from the publisher; this client's own path is better. "
            + "Look at the publisher's view.",
        "support.cpu":
            "The encoder or the decoder cannot keep up; the network is not the limit. "
            + "Lower resolution or frame rate.",
        "support.device":
            "A capture device delivers silence or too few frames although it is not muted. "
            + "Try another device.",
        "support.media":
            "The path is well, but media that should flow do not. "
            + "Check permissions, the capture device and the subscription.",
        "support.media.remote":
            "This client's path is well, but the publisher's media do not come. "
            + "Look at the publisher's view.",
        "support.recovering":
            "The impairment is over, and the bandwidth estimate is still climbing. Look at what came before.",
        "support.unknown":
            "There is not enough data to judge by. "
            + "Check that reports, and what was wanted of the media, are there.",
        "support.unknown.uplink.remote":
            "The publisher's uplink is bad, and nothing tells why. Look at the publisher's view.",
        "support.unknown.uplink.bothOrUnclear":
            "The path is bad, on both sides or on a side that cannot be determined. Look at both sides' views.",
        "support.unknown.uplink.none":
            "The publisher's uplink is bad, and nothing tells why. Look at the publisher's view.",
        "support.unknown.uplink.unknown":
            "The publisher's uplink is bad, and nothing tells why. Look at the publisher's view.",
        "reportReader.none": "There is nothing to do.",
        "reportReader.packetLoss":
            "On either side, use a cable or move closer to the access point. "
            + "If packets are lost by cable as well, ask the provider about the line.",
        "reportReader.packetLoss.uplink":
            "On the sending side, use a cable or move closer to the access point. "
            + "If packets are lost by cable as well, ask the provider about the upload.",
        "reportReader.packetLoss.downlink":
            "On the receiving side, use a cable or move closer to the access point. "
            + "If packets are lost by cable as well, ask the provider about the download.",
        "reportReader.bandwidth": "On either side, stop what else uses the line, or send smaller video.",
        "reportReader.bandwidth.uplink":
            "On the sending side, stop what else uses the upload, or send smaller video.",
        "reportReader.bandwidth.downlink":
            "On the receiving side, stop what else uses the download, or send smaller video.",
        "reportReader.latency": "On either side, switch a VPN off, or use a server or relay that is nearer.",
        "reportReader.latency.uplink":
            "On the sending side, switch a VPN off, or use a server or relay that is nearer.",
        "reportReader.latency.downlink":
            "On the receiving side, switch a VPN off, or use a server or relay that is nearer.",
        "reportReader.jitter": "On either side, use a cable, or a less congested wireless channel.",
        "reportReader.jitter.uplink":
            "On the sending side, use a cable, or a less congested wireless channel.",
        "reportReader.jitter.downlink":
            "On the receiving side, use a cable, or a less congested wireless channel.",
        "reportReader.connection":
            "On either side, see whether the network changed or was lost then, and that a "
            + "TURN server can be reached.",
        "reportReader.connection.uplink":
            "On the sending side, see whether the network changed or was lost then, and that "
            + "a TURN server can be reached.",
        "reportReader.connection.downlink":
            "On the receiving side, see whether the network changed or was lost then, and "
            + "that a TURN server can be reached.",
        "reportReader.cpu": "On either side, close other programs, or use a lower resolution or frame rate.",
        "reportReader.cpu.uplink":
            "On the sending side, close other programs, or use a lower resolution or frame rate.",
        "reportReader.cpu.downlink":
            "On the receiving side, close other programs, or use a lower resolution or frame rate.",
        "reportReader.device":
            "On either side, check that the right microphone and camera are chosen, free and not muted.",
        "reportReader.device.uplink":
            "On the sending side, check that the right microphone and camera are chosen, "
            + "free and not muted.",
        "reportReader.device.downlink":
            "On the receiving side, check that the right microphone and camera are chosen, "
            + "free and not muted.",
        "reportReader.media":
            "On either side, check that the stream is published and not muted. The network was well.",
        "reportReader.media.uplink":
            "On the sending side, check that the stream is published and not muted. The network was well.",
        "reportReader.media.downlink":
            "On the receiving side, check that the stream is published and not muted. "
            + "The network was well.",
        "reportReader.recovering": "There is nothing to do.",
        "reportReader.unknown":
            "Record for longer, with reports of the peer connections that carry the call.",
    ]
}
