// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

// CPU time, not the clock on the wall, but where a person waits; each figure of CPU time is the least of several rounds.
// Foundation's figures are of the same run, so that a slow machine slows both.
//
// `sightline-bench [PART...]` measures only these: reports, recordings, store, cluster, nodes, million, calls, clients, observed, pages.
let words = Set(CommandLine.arguments.dropFirst())
let parts: [(name: String, measure: () async throws -> [Row])] = [
    (
        "reports",
        {
            let samples = try Samples.recorded()
            return try parseRows(samples) + observationRows(samples) + nativeRows(samples)
        }
    ),
    ("recordings", { try recordingRows(Samples.recorded()) }),
    ("store", { try await storeRows(Samples.recorded()) }),
    ("cluster", { try await clusterRows() }),
    ("nodes", { try await nodeRows() }),
    ("million", { try await millionRows() }),
    ("calls", { try await TwoPartyCalls.rows() }),
    ("clients", { try await IdleClients.rows() }),
    ("observed", { try await ObservedParticipants.rows() }),
    ("pages", { try await SessionPages.rows() }),
]

do {
    if words.contains(IdleClients.serverWord) {
        try await IdleClients.serve()
        exit(0)
    }
    if CommandLine.arguments.dropFirst().first == ObservedParticipants.serverWord {
        try await ObservedParticipants.serve(store: CommandLine.arguments.last ?? "")
        exit(0)
    }
    if words.contains(StandInRouter.word) {
        try StandInRouter.run()
        exit(0)
    }
    if CommandLine.arguments.dropFirst().first == TwoPartyCalls.serverWord {
        try await TwoPartyCalls.serve(Array(CommandLine.arguments.dropFirst(2)))
        exit(0)
    }
    var isMet = true
    for part in parts where words.isEmpty || words.contains(part.name) {
        let rows = try await part.measure()
        // At once, also into a pipe: the next figures may take a while.
        for row in rows { FileHandle.standardOutput.write(Data((row.text + "\n").utf8)) }
        isMet = isMet && rows.allSatisfy(\.isMet)
    }
    exit(isMet ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("sightline-bench: \(error)\n".utf8))
    exit(1)
}
