// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring

/// Where a call over access lines is kept: what the lines did beside what was said, as JSON lines.
struct AccessFolder {
    let folder: String

    /// The calls that a folder holds, in order of their names.
    static func calls(in folder: String) throws -> [AccessCall] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
            let call = AccessFolder(folder: "\(folder)/\(name)")
            return FileManager.default.fileExists(atPath: call.path("call.json")) ? try call.read() : nil
        }
    }

    private struct Head: Codable {
        var setup: AccessCall.Setup
        var circumstances: AccessCall.Circumstances
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

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
