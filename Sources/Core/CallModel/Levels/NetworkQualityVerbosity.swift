// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much is reported of a participant's network quality; numbers are Twilio's.
public enum NetworkQualityVerbosity: Int, CodableByName, Comparable {
    /// Nothing.
    case none = 0
    /// The level.
    case minimal = 1
    /// Also the levels of audio and video, sent and received.
    case moderate = 2
    /// Also the levels of bandwidth, latency and loss, and the figures behind them; of others only if they share those
    /// of all that they publish (`senderStatsTrack`).
    case detailed = 3

    /// The name of each case.
    public static let names = caseNames()

    /// Orders by how much is reported.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How much is reported of the own and of the others' network quality; can be changed during a call.
public struct NetworkQualityConfiguration: Sendable, Equatable, Codable {
    /// Of the own network; ``NetworkQualityVerbosity/none`` means `minimal`, and becomes it.
    public var local: NetworkQualityVerbosity {
        didSet { local = max(local, .minimal) }
    }
    /// Of the other participants' networks.
    public var remote: NetworkQualityVerbosity

    /// Asks for network quality levels; without this they are off.
    public init(local: NetworkQualityVerbosity = .minimal, remote: NetworkQualityVerbosity = .none) {
        self.local = max(local, .minimal)
        self.remote = remote
    }

    /// Reads a configuration; what is omitted is what ``init(local:remote:)`` gives it.
    ///
    /// - Throws: `DecodingError` for a verbosity that is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            local: try container.decodeIfPresent(NetworkQualityVerbosity.self, forKey: .local) ?? .minimal,
            remote: try container.decodeIfPresent(NetworkQualityVerbosity.self, forKey: .remote) ?? .none)
    }

    private enum CodingKeys: String, CodingKey {
        case local, remote
    }
}
