// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Tests the network before a call, and joins the call as the test recommends.
///
///     NetworkTestExample wss://calls.example.com TEST_TOKEN CALL_TOKEN [SECONDS]
@main
struct NetworkTestExample {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else {
            print("usage: NetworkTestExample URL TEST_TOKEN CALL_TOKEN [SECONDS]")
            exit(64)
        }
        let engine = try LibWebRTCEngine()
        let test = NetworkTest(
            url: arguments[0], token: arguments[1], engine: engine, signaling: NIOSignalingTransport())
        for await event in test.run() {
            switch event {
            case .progress(let progress): print("\(Int(progress.fraction * 100)) % \(progress.step.rawValue)")
            case .finished(let report):
                print(report.sentence)
                guard let settings = settings(for: report) else { return print(report.failure?.advice ?? "") }
                let seconds = arguments.dropFirst(3).first.flatMap(Double.init) ?? 60
                try await join(arguments[0], arguments[2], engine, settings, seconds)
            }
        }
    }

    /// What to publish by the report's advice; `nil` if nothing can be.
    static func settings(for report: NetworkTestReport) -> PublisherSettings? {
        guard report.verdict != .neither else { return nil }
        var settings = PublisherSettings()
        if report.verdict == .audioOnly { settings.video = nil }
        if let picture = report.recommendation {
            settings.resolution = .init(width: picture.width, height: picture.height)
            settings.frameRate = picture.frameRate
        }
        return settings
    }

    static func join(
        _ url: String, _ token: String, _ engine: LibWebRTCEngine, _ settings: PublisherSettings,
        _ seconds: Double
    ) async throws {
        let session = Session(url: url, token: token, engine: engine, signaling: NIOSignalingTransport())
        try await session.connect()
        try await session.publish(Publisher(settings: settings))
        try await Task.sleep(for: .seconds(seconds))
        await session.disconnect()
    }
}
