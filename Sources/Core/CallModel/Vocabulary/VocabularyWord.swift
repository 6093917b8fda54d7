// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A value of a vocabulary, which later versions add to at its end: JSON, the API and people use its name, the store its position among its
/// kind.
///
/// Cases are append-only: a position keeps its meaning as long as stores contain it.
public protocol VocabularyWord: CaseIterable, Hashable, Codable, Sendable {
    /// The word.
    var name: String { get }
    /// The value that a word names; `nil` for a word that this version does not know.
    init?(name: String)
}

extension VocabularyWord where Self: RawRepresentable, RawValue == String {
    /// The word.
    public var name: String { rawValue }
    /// The value that a word names; `nil` for a word that this version does not know.
    public init?(name: String) { self.init(rawValue: name) }
}

/// Reads words leniently: a peer may be newer and know more of them. One that this version does not know is
/// as good as absent, in whatever is read by a synthesized `init(from:)` of this module.
extension KeyedDecodingContainer {
    package func decodeIfPresent<Word: VocabularyWord>(_: Word.Type, forKey key: Key) throws -> Word? {
        try decodeIfPresent(String.self, forKey: key).flatMap { Word(name: $0) }
    }
}

extension NetworkDirection: VocabularyWord {}
extension QualityLimitationReason: VocabularyWord {}
extension StreamRole: VocabularyWord {}
extension MediaRouting: VocabularyWord {}
extension MediaMode: VocabularyWord {}
extension TokenRole: VocabularyWord {}
extension LayerReason: VocabularyWord {}
extension CallQualityWarning.Kind: VocabularyWord {}
extension CallQualityWarning.Phase: VocabularyWord {}
extension MediaKind: VocabularyWord {}
extension CallQualityWarning.Recovery: VocabularyWord {}
extension CallQualityWarning.Direction: VocabularyWord {}

/// A vocabulary with a value that stands for the words of newer peers where there has to be one.
package protocol OpenVocabulary: VocabularyWord {
    static var unrecognized: Self { get }
}

extension KeyedDecodingContainer {
    package func decode<Word: OpenVocabulary>(_: Word.Type, forKey key: Key) throws -> Word {
        Word(name: try decode(String.self, forKey: key)) ?? .unrecognized
    }
}

extension NetworkCondition: OpenVocabulary { package static var unrecognized: Self { .unknown } }
extension NetworkReason: OpenVocabulary { package static var unrecognized: Self { .unknown } }
extension NetworkDegradationSource: OpenVocabulary { package static var unrecognized: Self { .unknown } }
extension VideoType: OpenVocabulary { package static var unrecognized: Self { .custom } }

extension VocabularyWord {
    /// Its number in the store: its place among the cases.
    @inlinable package var code: Int64 {
        let all = Self.allCases
        return all.firstIndex(of: self).map { Int64(all.distance(from: all.startIndex, to: $0)) } ?? 0
    }

    /// The value of a number in the store; `nil` for none, or one that this version does not know.
    @inlinable
    package init?(code: Int64?) {
        let all = Array(Self.allCases)
        guard let code, all.indices.contains(Int(clamping: code)) else { return nil }
        self = all[Int(code)]
    }
}
