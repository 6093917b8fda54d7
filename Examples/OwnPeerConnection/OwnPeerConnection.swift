// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import LibWebRTC
import MediaEngine
import Sightline

/// Observes a peer connection that no session made: here one of two in this process.
///
///     OwnPeerConnection [SECONDS]
@main
struct OwnPeerConnection {
    static func main() async throws {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 5
        let call = try await Call()
        defer { call.close() }
        let monitor = CallMonitor(call.receiver, roles: [.subscriber])
        monitor.setIntent(
            .init(routing: .relayed, audio: .init(), video: .init()), for: .subscriber)
        let listener = Listener()
        monitor.delegate = listener
        let observations = monitor.observations()
        monitor.start()
        Task {
            try await Task.sleep(for: .seconds(seconds))
            monitor.stop()
        }
        for await case .observed(.subscriber(let observation)) in observations {
            let video = observation.video
            print(
                "sequence:", video?.bitrate ?? 0, "bit/s,", observation.transport.networkCondition)
        }
    }
}

/// Hears the same as the sequence, in the same order.
final class Listener: CallMonitorDelegate, Sendable {
    func callMonitor(_ monitor: CallMonitor, didObserve event: CallMonitorEvent) {
        guard case .observed(.subscriber(let observation)) = event else { return }
        print("delegate:", DiagnosisSentences().sentence(for: observation.diagnosis, to: .caller) ?? "")
    }
}
