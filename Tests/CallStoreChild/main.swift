// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Writes samples into a store until somebody kills it, and prints the number of each that was acknowledged.

import CallStore
import Foundation
import SessionProtocol

let path = CommandLine.arguments.dropFirst().first ?? ""
var configuration = StoreConfiguration()
configuration.batching = .milliseconds(5)
let store = try CallStore(path: path, configuration: configuration)
let writer = StoreWriter(store: store) { receipts, _ in
    let lines = receipts.map { "\($0)\n" }.joined()
    FileHandle.standardOutput.write(Data(lines.utf8))
}
let key = FlowKey(connection: "c", number: 1)
writer.submit([
    .session(name: "s", mediaMode: .routed, createdAt: 1000),
    .connection(.init(name: "c", session: "s", participant: "p", role: .publisher, joinedAt: 1000)),
    .stream(
        .init(
            name: "st", session: "s", connection: "c", content: .init(hasAudio: true, hasVideo: true),
            createdAt: 1000)),
    .flow(.init(key: key, session: "s", stream: "st", isPublisher: true, createdAt: 1000)),
])
let running = Task { await writer.run() }
for number in 1... {
    let time = 1000 + Double(number)
    let mark = EventMark(time: time, capturedAt: time, eventId: "e\(number)")
    var sample = TelemetrySample()
    sample.networkCondition = "excellent"
    while !writer.submit(
        [.sample(.init(flow: key, observer: .client, mark: mark, sample: sample))], receipt: UInt64(number))
    {
        try await Task.sleep(for: .milliseconds(1))
    }
    if number.isMultiple(of: 50) { try await Task.sleep(for: .milliseconds(1)) }
}
_ = await running.value
