// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

@Suite("YUV4MPEG2 files")
struct Y4mFileTests {
    /// A file of grey frames.
    static func make(_ header: String = "YUV4MPEG2 W64 H36 F15:1 Ip A1:1 C420jpeg", frames: Int = 3)
        -> [UInt8]
    {
        let image = [UInt8](repeating: 128, count: 64 * 36 * 3 / 2)
        return Array((header + "\n").utf8) + (0..<frames).flatMap { _ in Array("FRAME\n".utf8) + image }
    }

    /// Opens a file as a source; gives its size.
    static func open(_ file: [UInt8]) throws -> Result<(width: Int32, height: Int32), ReadError> {
        let temporary = try TemporaryFile(file, extension: "y4m")
        return open(path: temporary.path)
    }

    static func open(path: String) -> Result<(width: Int32, height: Int32), ReadError> {
        var error = sl_error()
        guard let source = sl_video_file_create(path, &error) else { return .failure(ReadError(error)) }
        defer { sl_video_source_destroy(source) }
        var width: Int32 = 0, height: Int32 = 0
        sl_video_source_size(source, &width, &height)
        return .success((width, height))
    }

    @Test(
        "a file opens with its size",
        arguments: [
            "YUV4MPEG2 W64 H36 F15:1 Ip A1:1 C420jpeg", "YUV4MPEG2 W64 H36 F30000:1001",
            "YUV4MPEG2 H36 W64 F15:1 C420mpeg2",
        ])
    func opens(header: String) throws {
        let size = try Self.open(Self.make(header)).get()
        #expect(size == (64, 36))
    }

    @Test(
        "files of other kinds are refused with what is wrong",
        arguments: [
            (Y4mFileTests.make("YUV4MPEG2 W64 H36 F15:1 C444"), SL_UNSUPPORTED, "4:2:0"),
            (Y4mFileTests.make("YUV4MPEG2 W64 H36 F15:1 C420p10"), SL_UNSUPPORTED, "8-bit"),
            (Y4mFileTests.make("YUV4MPEG2 W64 F15:1"), SL_UNSUPPORTED, "size"),
            (Y4mFileTests.make("YUV4MPEG2 W64 H100000 F15:1"), SL_UNSUPPORTED, "size"),
            (Y4mFileTests.make("YUV4MPEG2 W64 H-36 F15:1"), SL_UNSUPPORTED, "size"),
            (Y4mFileTests.make("YUV4MPEG2 W64 H36"), SL_UNSUPPORTED, "rate"),
            (Y4mFileTests.make("YUV4MPEG2 W64 H36 F15:0"), SL_UNSUPPORTED, "rate"),
            (Y4mFileTests.make(frames: 0), SL_SYNTAX, "no frames"),
            (Array(Y4mFileTests.make().dropLast()), SL_SYNTAX, "frame 2 is cut short"),
            (Y4mFileTests.make() + Array("rubbish\n".utf8), SL_SYNTAX, "frame 3 has no header"),
            (Array("YUV4MPEG".utf8), SL_SYNTAX, "not a YUV4MPEG2"),
            ([], SL_SYNTAX, "not a YUV4MPEG2"),
        ])
    func refused(file: [UInt8], status: Int, text: String) throws {
        guard case .failure(let error) = try Self.open(file) else {
            Issue.record("should have been refused")
            return
        }
        #expect(error.status == status)
        #expect(error.message.contains(text))
    }

    @Test("a missing file and a directory are errors of reading", arguments: ["/no/such.y4m", "/tmp", ""])
    func unreadable(path: String) {
        guard case .failure(let error) = Self.open(path: path) else {
            Issue.record("should have been refused")
            return
        }
        #expect(error.status == SL_IO)
    }

    @Test("whatever is done to the bytes of a file, opening it ends in a source or an error")
    func fuzz() throws {
        var random = SeededRandom(seed: 12)
        let original = Self.make()
        for _ in 0..<300 {
            var file = Array(original.prefix(Int.random(in: 0...original.count, using: &random)))
            for _ in 0..<Int.random(in: 1...6, using: &random) where !file.isEmpty {
                let at = Int.random(in: 0..<min(file.count, 60), using: &random)
                file[at] = UInt8.random(in: 0...255, using: &random)
            }
            if case .failure(let error) = try Self.open(file) { #expect(!error.message.isEmpty) }
        }
    }
}
