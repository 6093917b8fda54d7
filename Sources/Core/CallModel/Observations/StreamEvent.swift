// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// An event of a tick of a published or subscribed stream.
public enum StreamEvent: Sendable, Equatable {
    /// A network condition changed: of one of a publisher's connections, or of either side of a subscription.
    case networkConditionChanged(NetworkConditionChange)
    /// The quality of the video changed, for the worse or for the better.
    case videoQualityChanged(VideoQualityChange)
    /// A call quality warning was raised or cleared.
    case callQuality(CallQualityWarning)

    /// The name of the callback that reports it, which is its `type` in JSON.
    public var type: String {
        switch self {
        case .networkConditionChanged: Kind.networkConditionChanged.rawValue
        case .videoQualityChanged: Kind.videoQualityChanged.rawValue
        case .callQuality: Kind.callQuality.rawValue
        }
    }

    /// Whether it reports something bad; the others are information.
    public var isAlarm: Bool {
        switch self {
        case .networkConditionChanged(let change): change.isAlarm
        // Whoever speaks while muted has a call that is well.
        case .callQuality(let warning): warning.phase == .trigger && warning.kind != .speakingWhileMuted
        case .videoQualityChanged(let change): change.isAlarm
        }
    }

    fileprivate enum Kind: String {
        case networkConditionChanged, videoQualityChanged, callQuality
    }
}

/// One flat object: `{"type":"callQuality","reason":"lowMOS","phase":"trigger","media":"audio",...}`.
///
/// Which connection of a relayed publisher it is about is not written: that is no one's business but its own.
extension StreamEvent: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, reason, phase, isAlarm, media, direction, side, from, to, localCondition, remoteCondition
        case recovery
    }

    /// Most of them in one sample.
    public static let limit = 64

    /// Reads an event.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a type or a reason that this version does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var detail: [String: String] = [:]
        for key in CodingKeys.allCases where key != .isAlarm {
            detail[key.rawValue] = try container.decodeIfPresent(String.self, forKey: key)
        }
        guard let event = StreamEvent(type: detail[CodingKeys.type.rawValue] ?? "", detail: detail) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container, debugDescription: "no event of this type and reason is known")
        }
        self = event
    }

    /// Writes the event.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        for (key, word) in words { try container.encode(word, forKey: key) }
        try container.encode(isAlarm, forKey: .isAlarm)
    }

    /// Its particulars by their names in JSON: `reason`, `phase`, `recovery`, `media`, `direction`, `side`, `from`, `to`,
    /// `localCondition` and `remoteCondition`, as far as it has them.
    public var detail: [String: String] {
        var detail: [String: String] = [:]
        for (key, word) in words where key != .type { detail[key.rawValue] = word }
        return detail
    }

    /// The event of that type with these details; `nil` if this version does not know it.
    public init?(type: String, detail: [String: String]) {
        func word<Word: VocabularyWord>(_ key: CodingKeys) -> Word? {
            detail[key.rawValue].flatMap { Word(name: $0) }
        }
        let phase: CallQualityWarning.Phase? = word(.phase)
        switch Kind(rawValue: type) {
        case .networkConditionChanged:
            guard let from: NetworkCondition = word(.from), let to: NetworkCondition = word(.to) else {
                return nil
            }
            self = .networkConditionChanged(
                NetworkConditionChange(
                    side: word(.side) ?? .unknown, from: from, to: to, reason: word(.reason) ?? .unknown,
                    localCondition: word(.localCondition) ?? .unknown,
                    remoteCondition: word(.remoteCondition) ?? .unknown))
        case .videoQualityChanged:
            guard let reason: VideoEventReason = word(.reason) else { return nil }
            self = .videoQualityChanged(VideoQualityChange(reason, phase ?? .trigger))
        case .callQuality:
            guard let kind: CallQualityWarning.Kind = word(.reason), let phase else { return nil }
            self = .callQuality(
                CallQualityWarning(
                    kind: kind, phase: phase, media: word(.media), direction: word(.direction),
                    recovery: word(.recovery)))
        case nil: return nil
        }
    }

    private var words: [(CodingKeys, String)] {
        let all: [(CodingKeys, String?)] =
            switch self {
            case .networkConditionChanged(let change):
                [
                    (.type, type), (.reason, change.reason.name), (.side, change.side.name),
                    (.from, change.from.name), (.to, change.to.name),
                    (.localCondition, change.localCondition.name),
                    (.remoteCondition, change.remoteCondition.name),
                ]
            case .videoQualityChanged(let change):
                [
                    (.type, type), (.reason, change.reason.name), (.phase, change.phase.name),
                    (.media, MediaKind.video.name),
                ]
            case .callQuality(let warning):
                [
                    (.type, type), (.reason, warning.kind.name), (.phase, warning.phase.name),
                    (.recovery, warning.recovery?.name), (.media, warning.media?.name),
                    (.direction, warning.direction?.name),
                ]
            }
        return all.compactMap { key, word in word.map { (key, $0) } }
    }
}

extension KeyedDecodingContainer {
    /// Events of newer peers are skipped.
    func decodeIfPresent(_: [StreamEvent].Type, forKey key: Key) throws -> [StreamEvent]? {
        try decodeIfPresent([KnownEvent].self, forKey: key)?.compactMap(\.event)
    }
}

private struct KnownEvent: Decodable {
    let event: StreamEvent?

    init(from decoder: any Decoder) throws {
        do { event = try StreamEvent(from: decoder) } catch DecodingError.dataCorrupted { event = nil }
    }
}
