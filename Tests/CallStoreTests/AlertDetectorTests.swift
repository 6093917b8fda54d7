// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Testing

@Suite("Sustained issues")
struct AlertDetectorTests {
    private static let key = AlertDetector.Key(flow: 1, observer: .client, side: .local)

    /// What is reported of seconds that are critical, warning, fair, excellent, unknown, absent (-) or
    /// omitted (.).
    ///
    /// Each change as its first and last second, its samples and its worst condition.
    private static func run(_ seconds: String) -> [String] {
        var detector = AlertDetector()
        var seen: [String] = []
        for (second, character) in seconds.enumerated() {
            let conditions: [Character: NetworkCondition] = [
                "?": .unknown, "c": .critical, "w": .warning, "f": .fair, "e": .excellent,
            ]
            if character != "." {
                detector.take(
                    key,
                    .init(
                        time: Int64(second) * 1000, condition: conditions[character], reason: .bandwidth,
                        source: .local))
            }
            for change in detector.takeChanges() {
                let run = change.run
                seen.append(
                    "\(run.firstAt / 1000)-\(run.lastAt / 1000) x\(run.samples) \(run.worst.rawValue)"
                        + (change.isOver ? " over" : ""))
            }
        }
        return seen
    }

    @Test(
        "begin with the third bad sample in a row, grow, and end with a good one",
        arguments: [
            ("eewwe", []),
            ("ewwwe", ["1-3 x3 2", "1-3 x3 2 over"]),
            ("wwcwe", ["0-2 x3 1", "0-3 x4 1", "0-3 x4 1 over"]),
            ("wwfww", []),
            // Unknown is not bad, and not good either.
            ("ww?we", ["0-3 x3 2", "0-3 x3 2 over"]),
            ("ww-we", ["0-3 x3 2", "0-3 x3 2 over"]),
            ("???????", []),
            // Five seconds without a sample are still in a row, six are not.
            ("ww....we", ["0-6 x3 2", "0-6 x3 2 over"]),
            ("www.....we", ["0-2 x3 2", "0-2 x3 2 over"]),
        ])
    func rows(seconds: String, seen: [String]) {
        #expect(Self.run(seconds) == seen)
    }

    @Test("samples that come late change nothing")
    func late() {
        var detector = AlertDetector()
        for second in [10, 11, 5, 6, 7] as [Int64] {
            detector.take(Self.key, .init(time: second * 1000, condition: .critical))
        }
        #expect(detector.takeChanges().isEmpty)
    }

    @Test("samples of one moment are no issue that lasts, however many there are")
    func sameTime() {
        var detector = AlertDetector()
        for _ in 0..<1000 { detector.take(Self.key, .init(time: 1000, condition: .critical)) }
        detector.take(Self.key, .init(time: 1999, condition: .critical))
        #expect(detector.takeChanges().isEmpty)
        detector.take(Self.key, .init(time: 2000, condition: .critical))
        #expect(detector.takeChanges().map(\.run.samples) == [1002])
        detector.take(Self.key, .init(time: 2000, condition: .excellent))
        #expect(detector.takeChanges().map(\.isOver) == [true])
    }

    @Test(
        "neither stick nor flap when the clock steps",
        arguments: [3_600_000, 30 * 86_400_000, 10 * 365 * 86_400_000] as [Int64], [1, -1] as [Int64])
    func clockStep(size: Int64, sign: Int64) {
        var detector = AlertDetector()
        var seen: [String] = []
        var time: Int64 = 1_700_000_000_000
        func take(_ condition: NetworkCondition) {
            time += 1000
            detector.take(Self.key, .init(time: time, condition: condition))
            seen += detector.takeChanges().map { $0.isOver ? "over" : $0.run.isReported ? "grows" : "begins" }
        }
        for _ in 0..<10 { take(.critical) }
        time += sign * size
        for _ in 0..<10 { take(.critical) }
        for _ in 0..<3 { take(.excellent) }
        // The step ends the one that was open; the other one is all of after it.
        #expect(seen.filter { $0 == "begins" }.count == 2 && seen.filter { $0 == "over" }.count == 2)
        #expect(seen.last == "over")
    }

    @Test("are muted for as long as they continue, and no longer")
    func muted() {
        var detector = AlertDetector()
        for second in 0..<3 as Range<Int64> {
            detector.take(Self.key, .init(time: second * 1000, condition: .critical))
        }
        for change in detector.takeChanges() { detector.mute(change) }
        detector.take(Self.key, .init(time: 3000, condition: .critical))
        detector.take(Self.key, .init(time: 4000, condition: .excellent))
        #expect(detector.takeChanges().isEmpty)
        for second in 5..<8 as Range<Int64> {
            detector.take(Self.key, .init(time: second * 1000, condition: .critical))
        }
        #expect(detector.takeChanges().count == 1)
    }

    @Test("end with their flow, and only theirs")
    func flowEnds() {
        var detector = AlertDetector()
        for second in 0..<3 as Range<Int64> {
            for flow in [1, 2] as [Int64] {
                detector.take(
                    .init(flow: flow, observer: .client, side: .local),
                    .init(time: second * 1000, condition: .critical))
            }
        }
        #expect(detector.takeChanges().count == 2)
        detector.end(flow: 1)
        let changes = detector.takeChanges()
        #expect(changes.map(\.key.flow) == [1] && changes.allSatisfy(\.isOver))
    }

    @Test("name the most frequent reason and source")
    func reasons() throws {
        var detector = AlertDetector()
        let looks: [(NetworkReason?, NetworkDegradationSource?)] = [
            (.bandwidth, .local), (.packetLoss, .remote), (.packetLoss, .remote), (nil, nil),
        ]
        for (second, look) in looks.enumerated() {
            detector.take(
                Self.key,
                .init(time: Int64(second) * 1000, condition: .warning, reason: look.0, source: look.1))
        }
        let run = try #require(detector.takeChanges().first?.run)
        #expect(run.reason == .packetLoss && run.source == .remote && run.samples == 4)
    }
}
