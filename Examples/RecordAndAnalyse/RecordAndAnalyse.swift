// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Records what a call was judged by, and judges it again afterwards.
///
///     RecordAndAnalyse URL TOKEN FILE [SECONDS]
@main
struct RecordAndAnalyse {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { return usage() }
        let file = URL(filePath: arguments[3])
        let (reports, sink) = AsyncStream.makeStream(of: RecordedReport.self)
        var configuration = SessionConfiguration()
        configuration.onReport = { sink.yield($0.named("publisher")) }
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport(),
            configuration: configuration)
        try await session.connect()
        let recording = Task { try await record(reports, in: file) }
        try await session.publish(Publisher())
        try await Task.sleep(for: .seconds(arguments.dropFirst(4).first.flatMap(Double.init) ?? 10))
        await session.disconnect()
        sink.finish()
        try await recording.value
        print(try CallAnalysis.analyze(files: [file]).text())
    }

    static func record(_ reports: AsyncStream<RecordedReport>, in file: URL) async throws {
        let writer = try RecordingWriter(file)
        for await report in reports { try await writer.write(report) }
        try await writer.close()
    }

    static func usage() {
        print("usage: RecordAndAnalyse URL TOKEN FILE [SECONDS]")
        exit(64)
    }
}
