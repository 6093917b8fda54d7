// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaPolicy
import SessionWire
import Testing

/// The words in the types of the client for browsers are written by this test from the vocabularies.
@Suite("Words of the client for browsers")
struct ClientWordsTests {
    private static let file = GeneratedFile("Web/client/index.d.ts")

    @Test("have the words of the vocabularies; SIGHTLINE_RECORD=1 writes them")
    func words() throws {
        // Its words are open, so only their source lists them.
        let codes = try GeneratedFile("Sources/Core/SessionWire/ServerMessage.swift").text()
            .matches(of: /= Code\(rawValue: "(\w+)"\)/).map { String($0.1) }
        let unions: [(String, [String])] = [
            ("Role", TokenRole.allCases.map(\.name)),
            ("NetworkCondition", NetworkCondition.allCases.map(\.name)),
            ("NetworkReason", NetworkReason.allCases.map(\.name)),
            ("Side", NetworkDegradationSource.allCases.map(\.name)),
            ("Cause", Diagnosis.Cause.allCases.map(\.name)),
            ("Direction", NetworkDirection.allCases.map(\.name)),
            ("WarningKind", CallQualityWarning.Kind.allCases.map(\.name)),
            ("VideoReason", VideoEventReason.allCases.map(\.name)),
            ("Verbosity", NetworkQualityVerbosity.allCases.map(\.name)),
            ("FallbackState", FallbackState.allCases.map(\.name)),
            ("RefusalCode", codes),
        ]
        var text = try Self.file.text()
        for (type, words) in unions {
            let start = try #require(text.range(of: "export type \(type) = "), "\(type)")
            let end = try #require(text[start.upperBound...].firstIndex(of: ";"))
            text.replaceSubrange(start.lowerBound..<end, with: Self.union(type, words))
        }
        try Self.file.hold(text)
    }

    private static func union(_ type: String, _ words: [String]) -> String {
        var lines = ["export type \(type) ="]
        for (index, word) in words.map({ "\"\($0)\"" }).enumerated() {
            let next = index == 0 ? " \(word)" : " | \(word)"
            if lines[lines.count - 1].count + next.count < 120 {
                lines[lines.count - 1] += next
            } else {
                lines.append("   " + next)
            }
        }
        return lines.joined(separator: "\n")
    }
}
