// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization
import Testing

@testable import LineEmulation

@Suite struct ProgramLaunchTests {
    @Test("what a program writes ends with it, whatever other threads start meanwhile")
    func output() throws {
        let others = Mutex<[Process]>([])
        let starting = (0..<3).map { _ in
            Worker {
                for _ in 0..<100 {
                    // Lasts longer than the test.
                    let other = try Self.start("sleep", "60")
                    others.withLock { $0.append(other) }
                }
            }
        }
        let reading = (0..<3).map { _ in
            Worker {
                for _ in 0..<200 {
                    let output = ProgramLaunch.pipe()
                    _ = try Self.start("echo", "done", writingTo: output)
                    #expect(output.fileHandleForReading.readDataToEndOfFile() == Data("done\n".utf8))
                }
            }
        }
        for worker in starting + reading { try worker.output() }
        // Whoever was held up by one of them was so until its end.
        let started = others.withLock { $0 }
        #expect(started.count == 300 && started.allSatisfy(\.isRunning))
        for other in started { other.terminate() }
    }

    private static func start(_ words: String..., writingTo output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        try ProgramLaunch.start(process)
        return process
    }
}
