// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LabScoring
import LineEmulation
import Testing

@Suite("The report on an app's own calls")
struct AppReportTests {
    /// A call of 60 s between alice and bob; on alice's uplink something happens from 30 to 39 s.
    private func call(
        _ profile: String, _ change: @escaping (inout LineSecond) -> Void = { _ in },
        said: @escaping (Int) -> Diagnosis = { _ in Diagnosis(cause: .none) }
    ) -> AppCall {
        var call = AppCall(profile: profile, participants: ["alice", "bob"], seconds: 60, seed: 1)
        for (name, direction) in ["alice", "bob"].flatMap({ name in
            [NetworkDirection.uplink, .downlink].map { (name, $0) }
        }) {
            call.lines += (0..<60).map { second in
                let isMeant = name == "alice" && direction == .uplink && (30..<40).contains(second)
                return .init(
                    participant: name, direction: direction,
                    line: goodSecond(second) { if isMeant { change(&$0) } })
            }
        }
        for second in 0..<60 {
            for (receiver, isFromAlice) in [("bob", true), ("alice", false)] {
                var sample = StreamSample()
                sample.video = MediaFigures()
                sample.video?.bitrate = isFromAlice && second < 36 ? 200_000 : 800_000
                sample.video?.height = 360
                sample.video?.frameRate = 30
                sample.video?.freezeCount = isFromAlice && second >= 30 ? 2 : 0
                sample.video?.totalFreezesDuration = isFromAlice && second >= 30 ? 1_500 : 0
                sample.diagnosis = isFromAlice ? said(second) : Diagnosis(cause: .none)
                call.samples.append(
                    .init(
                        participant: receiver, role: .subscriber, time: Double(second) + 0.5, sample: sample))
            }
        }
        return call
    }

    private let loss = Diagnosis(cause: .packetLoss, severity: .disturbing)

    @Test("says of each stream what was received, what was done to it, and what was named")
    func report() {
        let train = call(
            "lteTrain", { $0.udp.lost = 20 },
            said: { (32..<41).contains($0) ? self.loss : Diagnosis(cause: .none) })
        let text = AppReport([call("fibre"), train]).text
        let row =
            "| lteTrain | alice → bob | 800 (200) | 360p | 30.0 | 2, 1.5 s | – | – | 9 of 48 | 12 of 48 | 93.8 % | 75.0 % |"
        #expect(text.contains(row))
        #expect(
            text.contains(
                "| lteTrain | bob → alice | 800 (800) | 360p | 30.0 | 0, 0.0 s | – | – | 0 of 48 | 0 of 48 | 100.0 % | – |"
            ))
        // Loss counts over three seconds.
        #expect(text.contains("| 29 to 41 | packetLoss | after 3.5 s; packetLoss 9, none 3 |"))
        #expect(text.contains("Nothing was done to this stream that must be named."))
    }

    @Test("knows by the call over fibre what the app sends where nothing is short")
    func demand() {
        let narrow = call("dsl", { $0.capacity = 700 })
        #expect(
            AppReport([call("fibre"), narrow]).text.contains(
                "| 30 to 40 | bandwidth | none of these; none 10 |"))
        #expect(!AppReport([narrow]).text.contains("bandwidth"))
    }

    @Test("says that nothing was reported, and calls nothing right by it")
    func silence() {
        var call = call("dsl", { $0.udp.lost = 20 })
        call.samples = []
        let text = AppReport([call]).text
        #expect(text.contains("| dsl | alice → bob | – | – | – | – | – | – | – | 12 of 48 | 0.0 % | 0.0 % |"))
        #expect(text.contains("Nothing was reported of it."))
        #expect(text.contains("| 29 to 41 | packetLoss | none of these; nothing was reported |"))
    }
}
