// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire
import TestSupport
import Testing

/// The files pin what is on the wire; both ends must read and write exactly this.
@Suite("Golden messages of the session protocol")
struct GoldenMessageTests {
    private static let folder = Repository.fixture("protocol")

    /// JSON with its members in a fixed order.
    private static func canonical(_ json: Data) throws -> String {
        let object = try JSONSerialization.jsonObject(with: json)
        return String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    @Test(
        "a client's message is read and written as the file has it",
        arguments: SampleMessages.client.keys.sorted())
    func client(name: String) throws {
        let file = try Data(contentsOf: Self.folder.appending(path: "client-\(name).json"))
        let sample = try #require(SampleMessages.client[name])
        #expect(try ClientMessage(json: file) == sample)
        try Self.compare(Data(sample.json()), "client-\(name)")
        #expect(try sample.validated() == sample)
    }

    @Test(
        "a server's message is read and written as the file has it",
        arguments: SampleMessages.server.keys.sorted())
    func server(name: String) throws {
        let file = try Data(contentsOf: Self.folder.appending(path: "server-\(name).json"))
        let sample = try #require(SampleMessages.server[name])
        #expect(try ServerMessage(json: file) == sample)
        try Self.compare(Data(sample.json()), "server-\(name)")
    }

    /// Holds a message against its file; with `SIGHTLINE_RECORD=1` one that differs is written.
    private static func compare(_ json: Data, _ name: String) throws {
        let file = folder.appending(path: "\(name).json")
        let (new, old) = (try canonical(json), try canonical(Data(contentsOf: file)))
        if new != old, ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1" {
            return try Data((new + "\n").utf8).write(to: file)
        }
        #expect(new == old)
    }

    @Test("every file is tested")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasPrefix("client-") || $0.hasPrefix("server-") }
        let wanted =
            SampleMessages.client.keys.map { "client-\($0).json" }
            + SampleMessages.server.keys.map { "server-\($0).json" }
        #expect(files.sorted() == wanted.sorted())
    }

    @Test("members that this version does not know are omitted")
    func unknownMembers() throws {
        let message = try ClientMessage(json: Array(#"{"id":1,"type":"leave","newer":{"a":[1]}}"#.utf8))
        #expect(message == ClientMessage(id: 1, .leave))
    }

    @Test(
        "what cannot be read is refused with the id, if there is one, and the member that is wrong",
        arguments: [
            ("{", nil, "JSON object"), ("7", nil, "JSON object"), (#"{"type":"leave"}"#, nil, "\"id\""),
            (#"{"id":3}"#, 3, "\"type\""), (#"{"id":3,"type":"fly"}"#, 3, "\"type\""),
            (#"{"id":3,"type":"join"}"#, 3, "\"version\""),
            (#"{"id":1e40,"type":"leave"}"#, nil, "JSON object"),
            (#"{"id":3,"type":"offer","leg":7,"offer":"o"}"#, 3, "\"leg\""),
            (#"{"id":3,"type":"telemetry","events":[{"eventId":"e"}]}"#, 3, "\"events."),
        ] as [(String, Int?, String)])
    func unreadable(json: String, id: Int?, words: String) {
        let error = #expect(throws: ClientMessage.Unreadable.self) {
            try ClientMessage(json: Array(json.utf8))
        }
        #expect(error?.id == id && error?.error.code == .malformed)
        #expect(error?.error.message.contains(words) == true, "\(error?.error.message ?? "")")
    }

    @Test("a message over the limit is refused before it is read, one at the limit is not")
    func limit() throws {
        let space = [UInt8](repeating: 32, count: SessionProtocol.messageLimit)
        let error = #expect(throws: ClientMessage.Unreadable.self) { try ClientMessage(json: space + [32]) }
        #expect(error?.error.code == .tooLarge)
        let json = Array(#"{"id":1,"type":"leave"}"#.utf8)
        let padded = json + space.dropLast(json.count)
        #expect(try ClientMessage(json: padded).id == 1)
    }

    @Test("errors do not repeat what a message holds")
    func privacy() {
        let error = #expect(throws: ClientMessage.Unreadable.self) {
            try ClientMessage(json: Array(#"{"id":1,"type":"join","version":"x","token":"SECRET"}"#.utf8))
        }
        #expect(error?.error.message.contains("SECRET") == false)
    }
}
