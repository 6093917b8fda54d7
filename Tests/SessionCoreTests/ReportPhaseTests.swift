// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import SessionCore

@Suite("When the router reports a leg")
struct ReportPhaseTests {
    /// What the router is asked, and when, in ms.
    ///
    /// The client reports each `interval` ms, which takes 30 ms; the router each second from `first` on, or when it is
    /// asked to.
    private func asked(first: Int, interval: Int = 1000, until end: Int = 20_000) -> [(at: Int, wait: Int)] {
        var (phase, due, asked) = (ReportPhase(), first, [(at: Int, wait: Int)]())
        for time in stride(from: 0, through: end, by: 10) {
            if time == due {
                phase.noteRouter(at: .milliseconds(time))
                due += 1000
            }
            guard time > 0, time % interval == 30 else { continue }
            let wait = phase.noteClient(measured: .milliseconds(time - 30), at: .milliseconds(time))
            guard let wait else { continue }
            let milliseconds = Int(wait.milliseconds.rounded())
            asked.append((time, milliseconds))
            due = time + milliseconds
        }
        return asked
    }

    @Test("A router that reports after its client is asked once to do so a quarter of a second before it")
    func late() {
        for first in [10, 20, 150, 400, 950] {
            let asked = asked(first: first)
            #expect(asked.map(\.at) == [4030] && asked.map(\.wait) == [720], "\(first): \(asked)")
        }
    }

    @Test(
        "One that reports a little before is left alone, and one whose clients report rarely is, too")
    func fitting() {
        for first in [500, 750, 890] { #expect(asked(first: first).isEmpty, "\(first)") }
        #expect(asked(first: 10, interval: 5000).isEmpty)
    }

    @Test("A router that does as it likes is asked once in ten seconds")
    func deaf() {
        var (phase, times) = (ReportPhase(), [Int]())
        for second in 1...35 {
            phase.noteRouter(at: .seconds(second) - .milliseconds(900))
            let wait = phase.noteClient(measured: .seconds(second), at: .seconds(second))
            if wait != nil { times.append(second) }
        }
        #expect(times == [4, 14, 24, 34])
    }
}
