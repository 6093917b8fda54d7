// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording
import Foundation
import LabScoring

/// Where a call over access lines is kept: what the lines did beside what was said, as JSON lines.
struct AccessFolder {
    let folder: String

    /// The calls that a folder holds, in order of their names.
    ///
    /// - Parameter isReplayed: Whether they are judged again, which skips those without recordings.
    static func calls(in folder: String, isReplayed: Bool = false) throws -> [AccessCall] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
            let kept = AccessFolder(folder: "\(folder)/\(name)")
            guard kept.isComplete else { return nil }
            let call = try kept.read()
            return isReplayed ? try kept.replayed(call) : call
        }
    }

    private struct Head: Codable {
        var setup: AccessCall.Setup
        var circumstances: AccessCall.Circumstances
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The file of what a native client recorded, or the server of a browser's reports, by its line's name.
    static func recording(_ line: String) -> String { "\(line).recording.jsonl" }

    /// Whether there is a call in it that was made to its end.
    var isComplete: Bool { FileManager.default.fileExists(atPath: path("call.json")) }

    func create() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func write(_ call: AccessCall) throws {
        try write(call.lines, "lines.jsonl")
        try write(call.said, "said.jsonl")
        let head = Head(setup: call.setup, circumstances: call.circumstances)
        try encoder.encode(head).write(to: URL(filePath: path("call.json")))
    }

    func read() throws -> AccessCall {
        let head = try JSONDecoder().decode(
            Head.self, from: Data(contentsOf: URL(filePath: path("call.json"))))
        return AccessCall(
            setup: head.setup, circumstances: head.circumstances, lines: try read("lines.jsonl"),
            said: try read("said.jsonl"))
    }

    /// The call with what this build's rules say of its recordings; `nil` where a client kept none.
    func replayed(_ call: AccessCall) throws -> AccessCall? {
        let ends = [AccessCall.End.publisher, .subscriber]
        let files = ends.map { path(Self.recording($0.rawValue)) }
        guard files.allSatisfy(FileManager.default.fileExists) else { return nil }
        let recordings = try files.map { file in
            var reader = try RecordingReader(URL(filePath: file))
            var records: [RecordedReport] = []
            while let record = try reader.next() { records.append(record) }
            return records
        }
        return call.replayed(recordings)
    }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return encoder
    }

    private func write(_ values: [some Encodable], _ name: String) throws {
        let encoder = encoder
        var data = Data()
        for value in values { data += try encoder.encode(value) + Data("\n".utf8) }
        try data.write(to: URL(filePath: path(name)))
    }

    private func read<Value: Decodable>(_ name: String) throws -> [Value] {
        try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Value.self, from: Data($0.utf8))
        }
    }
}
