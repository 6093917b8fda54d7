// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring
import MediaEngine
import Sightline
import Synchronization

/// Keeps what a subscriber shows and plays in a folder, for comparison with what was sent.
///
/// - `luma.gray`: the luma planes of all frames, one after the other.
/// - `frames.csv`: when each was shown (Unix ms), the number in it, and its size.
/// - `audio.wav`: all that was played, 16-bit mono.
/// - `blocks.csv`: when each block of it was played (Unix ms), and its length in samples.
final class ReceptionRecorder: Sendable {
    private struct Frame: Sendable {
        var time: Double
        var frame: ReceivedFrame
        var luma: [UInt8]
    }

    private struct Heard {
        var rate = 48_000
        var samples: [Int16] = []
        var blocks: [(time: Double, count: Int)] = []
    }

    private let folder: URL
    private let heard = Mutex(Heard())
    private let frames: AsyncStream<Frame>.Continuation
    private let writing: Task<Void, any Error>

    /// Creates the folder, if need be, and the files of the frames in it.
    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (stream, continuation) = AsyncStream<Frame>.makeStream()
        frames = continuation
        let (luma, table) = (try Self.file(folder, "luma.gray"), try Self.file(folder, "frames.csv"))
        writing = Task {
            try table.write(contentsOf: Data("time,number,width,height\n".utf8))
            for await shown in stream {
                let number = shown.frame.number.map { "\($0)" } ?? ""
                let line = "\(shown.time),\(number),\(shown.frame.width),\(shown.frame.height)\n"
                try luma.write(contentsOf: shown.luma)
                try table.write(contentsOf: Data(line.utf8))
            }
        }
    }

    /// Keeps all that comes from now on.
    func listen(to subscriber: Subscriber) async throws {
        subscriber.setI420Handler { [frames] frame, pixels in
            frames.yield(Frame(time: Self.now, frame: frame, luma: pixels.y))
        }
        try await waiting(for: "the audio track") { subscriber.audioTrack != nil }
        subscriber.audioTrack?.setAudioHandler { [weak self] in self?.note($0) }
    }

    /// Writes what is left.
    func finish() async throws {
        frames.finish()
        try await writing.value
        let heard = heard.withLock(\.self)
        let lines = heard.blocks.map { "\($0.time),\($0.count)\n" }
        try Data(("time,samples\n" + lines.joined()).utf8).write(to: folder.appending(path: "blocks.csv"))
        try WaveFile.data(heard.samples, rate: heard.rate).write(to: folder.appending(path: "audio.wav"))
    }

    private func note(_ audio: ReceivedAudio) {
        let now = Self.now
        let count = audio.samples.count / max(audio.channels, 1)
        heard.withLock { heard in
            heard.rate = audio.sampleRate
            // The voice is the same in all channels.
            heard.samples += stride(from: 0, to: count * audio.channels, by: audio.channels).map {
                audio.samples[$0]
            }
            heard.blocks.append((now, count))
        }
    }

    private static var now: Double { Date().timeIntervalSince1970 * 1000 }

    private static func file(_ folder: URL, _ name: String) throws -> FileHandle {
        let url = folder.appending(path: name)
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}
