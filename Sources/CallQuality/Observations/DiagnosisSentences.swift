// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One plain sentence for each diagnosis, for the caller and for support.
///
/// The table can be replaced, for another language or another tone. Keys are `cause`, or `cause.direction`, or
/// `cause.direction.side`, with `caller.` or `support.` before them; the longest that is there counts.
public struct DiagnosisSentences: Sendable, Equatable, Codable {
    /// Whom a sentence is for.
    public enum Audience: String, Sendable, CaseIterable {
        /// Somebody in the call.
        case caller
        /// Somebody who helps them.
        case support
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

    /// The English table.
    public static let english: [String: String] = [
        "caller.none": "The call is fine.",
        "caller.packetLoss": "The network is losing parts of the call.",
        "caller.packetLoss.uplink": "Your network is losing parts of what you send.",
        "caller.packetLoss.uplink.remote": "The other side's network is losing parts of what they send.",
        "caller.packetLoss.downlink": "Your network is losing parts of what you receive.",
        "caller.packetLoss.downlink.bothOrUnclear": "A network between you is losing parts of the call.",
        "caller.bandwidth": "The network is too slow for this call.",
        "caller.bandwidth.uplink": "Your upload is too slow for the video you send.",
        "caller.bandwidth.uplink.remote": "The other side's upload is too slow for their video.",
        "caller.bandwidth.downlink": "Your download is too slow for the video you receive.",
        "caller.latency": "There is a long delay between you.",
        "caller.jitter": "The network delivers the call unevenly.",
        "caller.connection": "The connection is interrupted.",
        "caller.connection.uplink.remote": "The other side's connection is interrupted.",
        "caller.cpu": "This device is too busy for the call.",
        "caller.device": "Your microphone or camera delivers nothing.",
        "caller.media": "No sound or picture is coming through.",
        "caller.recovering": "The network is fine again; the picture is getting better.",
        "caller.unknown": "It is not known yet how the call is doing.",
        "support.none": "No impairment was found.",
        "support.packetLoss": "The network loses packets; the round trip time does not rise with it.",
        "support.packetLoss.uplink": "Packets are lost between this client and its peer, on the way up.",
        "support.packetLoss.uplink.remote":
            "Packets are lost on the publisher's uplink; this client's own is clean.",
        "support.packetLoss.downlink": "Packets are lost on the way down to this client.",
        "support.packetLoss.downlink.bothOrUnclear": "Packets are lost on the way; both sides are affected.",
        "support.bandwidth": "The estimate is below what the wanted media need, and the path queues.",
        "support.bandwidth.uplink": "The uplink estimate is below what the enabled layers need.",
        "support.bandwidth.uplink.remote": "The publisher's uplink estimate is below what its layers need.",
        "support.bandwidth.downlink": "The downlink estimate is below what the wanted layer needs.",
        "support.latency": "The round trip time is high without a queue: a long path or a distant server.",
        "support.jitter": "Packets arrive unevenly; often a crowded wireless network.",
        "support.connection": "Nothing gets through, or ICE is disconnected.",
        "support.connection.uplink.remote":
            "Nothing comes from the publisher; this client's own path is well.",
        "support.cpu": "The encoder or the decoder cannot keep up; the network is not the limit.",
        "support.device": "A capture device delivers silence or too few frames although it is not muted.",
        "support.media": "The path is well, but media that should flow do not.",
        "support.recovering": "The impairment is over; the bandwidth estimate is still climbing.",
        "support.unknown": "There is not enough data to judge by.",
    ]
}
