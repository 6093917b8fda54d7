// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

// CPU time, not the clock on the wall, but where a person waits; each figure of CPU time is the least of several rounds.
// Foundation's figures are of the same run, so that a slow machine slows both.
let words = CommandLine.arguments.dropFirst()

do {
    if words.first == IdleClients.serverWord {
        try await IdleClients.serve()
        exit(0)
    }
    let samples = try Samples(directory: URL(filePath: words.first ?? "Tests/Fixtures/getstats"))
    var isMet = true
    func show(_ rows: [Row]) {
        // At once, also into a pipe: the next figures may take a while.
        for row in rows { FileHandle.standardOutput.write(Data((row.text + "\n").utf8)) }
        isMet = isMet && rows.allSatisfy(\.isMet)
    }
    show(try parseRows(samples))
    show(observationRows(samples))
    show(nativeRows(samples))
    show(try await storeRows(samples))
    show(try await IdleClients.rows())
    show(try await SessionPages.rows())
    exit(isMet ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("sightline-bench: \(error)\n".utf8))
    exit(1)
}
