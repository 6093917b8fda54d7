// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import Foundation
import TestSupport
import Testing

@Suite("Files that tell of calls")
struct FileModeTests {
    private static func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test("are their owner's alone, from the first byte on")
    func modes() async throws {
        let folder = try TemporaryFolder()

        let recording = folder.file("call.jsonl")
        let writer = try RecordingWriter(recording)
        #expect(try Self.mode(recording) == 0o600)
        try await writer.close()

        let page = folder.file("call.html")
        try PrivateFile.write(Data("first".utf8), to: page)
        #expect(try Self.mode(page) == 0o600)
        // What takes the place of a file that all could read is private too.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: page.path)
        try PrivateFile.write(Data("second".utf8), to: page)
        #expect(try Self.mode(page) == 0o600)
        #expect(try String(contentsOf: page, encoding: .utf8) == "second")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "call.html", "call.jsonl",
            ])
    }

    @Test("that cannot be written leave nothing behind")
    func failure() throws {
        #expect(throws: POSIXError.self) {
            try PrivateFile.write(Data(), to: URL(filePath: "/nowhere/at/all.html"))
        }
    }
}
