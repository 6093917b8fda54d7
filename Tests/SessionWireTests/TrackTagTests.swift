// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import SessionWire

@Suite("What apps say of tracks")
struct TrackTagTests {
    private static func read(_ tracks: String) throws -> [String: TrackTag]? {
        let json = #"{"peerConnection": "a", "closed": true, "tracks": \#(tracks)}"#
        return try ObservedReports(json: Array(json.utf8)).reports.first?.tracks
    }

    @Test("a participant, a name, or both, by the track's identifier")
    func tags() throws {
        let tags = try Self.read(
            #"{"T1": {"participant": "alice", "name": "camera"}, "T2": {"name": "screen"}}"#)
        #expect(
            tags == ["T1": TrackTag(participant: "alice", name: "camera"), "T2": TrackTag(name: "screen")])
        #expect(try Self.read("{}") == [:])
        let without = try ObservedReports(json: Array(#"{"closed": true}"#.utf8))
        #expect(without.reports.first?.tracks == nil)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "[]", "1", #"{"T": {}}"#, #"{"T": 1}"#, #"{"T": {"name": ""}}"#,
            #"{"T": {"name": "\#(String(repeating: "n", count: 1000))"}}"#,
            #"{"\#(String(repeating: "T", count: 129))": {"name": "a"}}"#,
            TrackTagTests.object(of: 255, name: String(repeating: "n", count: 100)),
            TrackTagTests.object(of: 257, name: "a"),
        ])
    func refused(_ tracks: String) {
        #expect(throws: ServerError.self) { try Self.read(tracks) }
    }

    /// Tags of that number of tracks, with one name.
    private static func object(of count: Int, name: String) -> String {
        let tags = (0..<count).map { #""\#($0)": {"name": "\#(name)"}"# }
        return "{\(tags.joined(separator: ","))}"
    }
}
