// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import TestSupport
import Testing

/// What has changed in a sample is said by place and in steps: a place that meant something else in another version would be
/// misread without a word.
@Suite("Places of samples' changes")
struct SamplePlaceTests {
    /// A sample with all of its parts, and without figures.
    private static var skeleton: StreamSample {
        var sample = StreamSample()
        sample.diagnosis = Diagnosis(cause: .none)
        sample.diagnosis?.evidence = Diagnosis.Evidence()
        sample.audio = MediaFigures()
        sample.video = MediaFigures()
        sample.video?.layers = Array(repeating: LayerFigures(), count: MediaFigures.layerLimit)
        let levels = NetworkQualityDirectionStats(
            bandwidth: .init(level: .unknown), latency: .init(level: .unknown),
            fractionLost: .init(level: .unknown))
        sample.levels = StreamLevels(audio: levels, video: levels)
        return sample
    }

    /// What a value is without its objects and arrays: the path of each leaf.
    private static func leaves(_ value: Any, _ path: String = "") -> [String: String] {
        let members: [(String, Any)]
        switch value {
        case let object as [String: Any]: members = object.map { ($0, $1) }
        case let array as [Any]: members = array.enumerated().map { ("\($0)", $1) }
        default: return [path: "\(value)"]
        }
        guard !members.isEmpty else { return [path: "{}"] }
        return members.reduce(into: [:]) { all, member in
            let path = path.isEmpty ? member.0 : "\(path).\(member.0)"
            all.merge(leaves(member.1, path)) { $1 }
        }
    }

    private static func leaves(of sample: StreamSample) throws -> [String: String] {
        leaves(try JSONSerialization.jsonObject(with: JSONEncoder().encode(sample)))
    }

    /// Of each place what it changes: the path, and what it is after a change, by the first difference that means something there.
    private static func places() throws -> [String] {
        let empty = SampleCodes(skeleton), before = try leaves(of: skeleton)
        var lines: [String] = []
        for place in Int64(1)... {
            guard empty.adding([place, 0]) != nil else { break }
            for changes in [[place, 2], [place, 200], [place, 20_000], [-place]] as [[Int64]] {
                guard let codes = empty.adding(changes) else { continue }
                let after = try leaves(of: codes.written(into: skeleton))
                var changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
                // What was empty has something in it.
                if changed.count > 1 { changed.removeAll { before[$0] == "{}" } }
                guard !changed.isEmpty else { continue }
                let now = changed.map { "\($0) \(after[$0] ?? "absent")" }
                let said = changes.map(String.init).joined(separator: " ")
                lines.append("\(said): \(now.joined(separator: ", "))")
                break
            }
        }
        return lines
    }

    @Test("are what the file says; SIGHTLINE_RECORD=1 writes it")
    func file() throws {
        let places = try Self.places()
        #expect(places.count >= 90)
        try GeneratedFile("Tests/Fixtures/protocol/sample-places.txt").hold(
            places.joined(separator: "\n") + "\n")
    }

    @Test("and mean what they meant in released versions", arguments: KeptRelease.all)
    func kept(release: KeptRelease) throws {
        let kept = try release.lines("sample-places.txt")
        #expect(kept.count >= 90)
        #expect(try Self.places().starts(with: kept))
    }
}
