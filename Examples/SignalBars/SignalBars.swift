// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Publishes, and shows everyone's network quality level as signal bars.
///
///     SignalBars URL TOKEN [SECONDS]
@main
struct SignalBars {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return usage() }
        var configuration = SessionConfiguration()
        configuration.networkQualityConfiguration = .init(local: .minimal, remote: .minimal)
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport(),
            configuration: configuration)
        let events = session.events()
        try await session.connect()
        try await session.publish(Publisher())
        Task {
            try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
            await session.disconnect()
        }
        for await case .networkQualityLevelChanged(let connection, let stats) in events {
            let name = connection == session.connection ? "me" : connection.connectionId
            print("\(name) \(bars(stats.level))\(stats.isIdle ? ", idle" : "")")
        }
    }

    static func bars(_ level: NetworkQualityLevel) -> String {
        guard level != .unknown else { return "?" }
        return String("▁▂▄▆█".prefix(level.rawValue)) + String(repeating: "·", count: 5 - level.rawValue)
    }

    static func usage() {
        print("usage: SignalBars URL TOKEN [SECONDS]")
        exit(64)
    }
}
