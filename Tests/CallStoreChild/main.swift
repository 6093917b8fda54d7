// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// A process of its own that has a store:
// - `endless PATH` writes samples until someone kills it, and prints the number of each that was
//   acknowledged.
// - `full PATH BALLAST` writes until the disk is full, removes the ballast, and prints what happened to it.
// - `open PATH` prints why the store cannot be opened, or `opened`.

import CallHistory
import CallModel
import CallStore
import Foundation
import HistoryWriter
import SessionWire

let arguments = Array(CommandLine.arguments.dropFirst())
let path = arguments.dropFirst().first ?? ""
let configuration = {
    var configuration = StoreConfiguration()
    configuration.batching = .milliseconds(5)
    configuration.retry = .milliseconds(20)
    return configuration
}()
let key = FlowKey(connection: "c", number: 1)
let beginning: [StoreRecord] = [
    .session(name: "s", kind: .hosted(.routed), createdAt: 1000),
    .connection(.init(name: "c", session: "s", participant: "p", role: .publisher, joinedAt: 1000)),
    .stream(
        .init(
            name: "st", session: "s", connection: "c", content: .init(hasAudio: true, hasVideo: true),
            createdAt: 1000)),
    .flow(.init(key: key, session: "s", stream: "st", role: .publisher, createdAt: 1000)),
]

func say(_ lines: [String]) {
    FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
}

func mark(_ number: Int) -> EventMark {
    let time = 1000 + Double(number)
    return EventMark(time: time, capturedAt: time, eventId: "e\(number)")
}

@MainActor func writeEndlessly() async throws {
    let store = try SQLiteCallStore(path: path, configuration: configuration)
    let writer = StoreWriter(store: store) { receipts, _ in say(receipts.map(String.init)) }
    writer.submit(beginning)
    let running = Task { await writer.run() }
    for number in 1... {
        var sample = StreamSample()
        sample.networkCondition = .excellent
        let record = StoreRecord.sample(
            .init(flow: key, observer: .client, mark: mark(number), sample: sample))
        while !writer.submit([record], receipt: UInt64(number)) {
            try await Task.sleep(for: .milliseconds(1))
        }
        if number.isMultiple(of: 50) { try await Task.sleep(for: .milliseconds(1)) }
    }
    _ = await running.value
}

/// Twenty reports of 100 KB.
@MainActor func fill(_ ballast: String) async throws {
    let store = try SQLiteCallStore(path: path, configuration: configuration)
    let writer = StoreWriter(
        store: store,
        onIncident: { incident in
            switch incident {
            case .paused:
                say(["paused"])
                unlink(ballast)
            case .resumed: say(["resumed"])
            default: say(["\(incident)"])
            }
        }, onCommit: { _, _ in })
    writer.submit(beginning)
    let running = Task { await writer.run() }
    let json = [UInt8](repeating: 32, count: 100_000)
    for number in 1...20 { writer.submit([.report(.init(flow: key, mark: mark(number), json: json))]) }
    var query = WindowQuery(session: "s")
    query.limit = 100
    while try await store.reports(query)?.items.count ?? 0 < 20 {
        try await Task.sleep(for: .milliseconds(5))
    }
    writer.finish()
    await running.value
    say(["dropped \(writer.statistics.dropped)"])
    try store.close()
}

switch arguments.first {
case "full": try await fill(arguments.last ?? "")
case "open":
    do {
        try SQLiteCallStore(path: path).close()
        say(["opened"])
    } catch let error as SQLiteCallStore.OpenError {
        say([error.description])
    }
default: try await writeEndlessly()
}
