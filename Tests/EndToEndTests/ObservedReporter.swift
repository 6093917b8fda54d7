// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer
import Synchronization

/// A participant of an observed call who reports as fast as it is acknowledged, and sends again what is not.
final class ObservedReporter: Sendable {
    private struct State {
        var acknowledged = 0
        var refusals: [Int] = []
    }

    /// Reports that one sends: fewer than the server takes of a peer connection at once.
    private static let most = 160
    /// Reports of one request.
    private static let batch = 4
    private static let reportsPerParticipant = 1000

    let call: String
    let participant: String
    private let number: Int
    private let state = Mutex(State())

    /// The one of that number; two are in each call.
    init(number: Int) {
        self.number = number
        call = "call-\(number / 2)"
        participant = "participant-\(number)"
    }

    /// Reports that were acknowledged.
    var acknowledged: Int { state.withLock { $0.acknowledged } }
    /// Whether all are.
    var isDone: Bool { acknowledged == Self.most }
    /// Statuses by which something was refused that should not have been.
    var refusals: [Int] { state.withLock { $0.refusals } }

    /// What distinguishes each of its reports from all others.
    var marks: [Int] { (0..<Self.most).map(mark) }

    private func mark(_ report: Int) -> Int { 1_000_000 + number * Self.reportsPerParticipant + report }

    /// Reports until everything is acknowledged, to whichever server takes it.
    func run(_ servers: [ServerProcess]) async throws {
        var tokens: [String] = []
        for server in servers {
            tokens.append(try await server.observerToken(call: call, participant: participant))
        }
        var place = number % servers.count
        while !isDone {
            let first = acknowledged
            let reports = first..<min(first + Self.batch, Self.most)
            let status = await post(reports, to: servers[place].url, tokens[place])
            if status == 200 {
                state.withLock { $0.acknowledged = reports.upperBound }
            } else {
                if let status, status != 503 { state.withLock { $0.refusals.append(status) } }
                // It may be away for a while, and another one may have the call.
                place = (place + 1) % servers.count
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// - Returns: The status; `nil` without an answer.
    private func post(_ reports: Range<Int>, to server: String, _ token: String) async -> Int? {
        guard let url = URL(string: "\(server)/v1/calls/\(call)/reports") else { return nil }
        let body = #"{"reports":[\#(reports.map(entry).joined(separator: ","))]}"#
        let request = OutgoingRequest(
            posting: Data(body.utf8), to: url, headers: ["Authorization": "Bearer \(token)"])
        return await request.answer(within: .seconds(15))?.status
    }

    private func entry(_ report: Int) -> String {
        let time = 1_700_000_000_000 + 1000 * report
        let rtp =
            #"{"id":"O","type":"outbound-rtp","kind":"audio","ssrc":\#(number + 1),"packetsSent":\#(50 * report),"timestamp":\#(time)}"#
        let pair =
            #"{"id":"P","type":"candidate-pair","nominated":true,"state":"succeeded","transportId":"T","availableOutgoingBitrate":\#(mark(report)),"timestamp":\#(time)}"#
        let transport =
            #"{"id":"T","type":"transport","selectedCandidatePairId":"P","timestamp":\#(time)}"#
        return #"{"peerConnection":"main","time":\#(time),"report":[\#(rtp),\#(pair),\#(transport)]}"#
    }
}
