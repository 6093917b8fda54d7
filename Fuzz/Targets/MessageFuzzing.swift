// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire
import WebRTCStats

enum MessageFuzzing {
    /// A client's message: it is refused with a word that can be sent, or survives writing and reading.
    static func client(_ input: UnsafeRawBufferPointer) throws {
        var message: ClientMessage
        do throws(ClientMessage.Unreadable) {
            message = try ClientMessage(json: input)
        } catch {
            _ = try ServerMessage(re: error.id, .error(error.error)).json()
            return
        }
        do throws(ServerError) {
            message = try message.validated()
        } catch {
            _ = try ServerMessage(re: message.id, .error(error)).json()
            return
        }
        let again = try ClientMessage(json: message.json())
        try require(
            withoutReports(again) == withoutReports(message),
            "a client's message changed when it was written and read")
    }

    /// A report inside another message is written without the order of members that no one knows, and a number of its
    /// changes without the point that it may have had.
    private static func withoutReports(_ message: ClientMessage) -> ClientMessage {
        guard case .telemetry(var telemetry) = message.body else { return message }
        for index in telemetry.events.indices {
            switch telemetry.events[index].content {
            case .report: telemetry.events[index].content = .report(StatsReport())
            case .changes: telemetry.events[index].content = .changes([])
            case .sample, .figures: break
            }
        }
        var message = message
        message.body = .telemetry(telemetry)
        return message
    }

    /// A server's message, and the facts in it as the SDK keeps them.
    static func server(_ input: UnsafeRawBufferPointer) throws {
        guard let message = try? ServerMessage(json: input) else { return }
        let again = try ServerMessage(json: message.json())
        try require(again == message, "a server's message changed when it was written and read")
        guard case .facts(let facts) = message.body else { return }
        var book = RemoteMetricsCache()
        for leg in facts.perLeg { book.take(leg, at: .zero) }
        _ = book.takeRemoteMetrics(at: .seconds(1), senderStatsTrack: true)
    }
}
