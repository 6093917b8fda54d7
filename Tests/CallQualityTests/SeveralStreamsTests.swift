// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import CallQuality

@Suite("What streams that come over one path show together")
struct SeveralStreamsTests {
    /// A received stream of a tick.
    private static func stream(
        _ key: UInt64, _ kind: MediaKind = .audio, packets: UInt64 = 50, lost: UInt64 = 0, at second: Int
    ) -> InboundDelta {
        var stream = InboundDelta(index: Int(key), key: key, kind: kind)
        stream.packets = Increment(amount: packets)
        stream.bytes = Increment(amount: packets * 100)
        let (from, to) = (Double(second) * 1000, Double(second + 1) * 1000)
        stream.loss = LossSample(lost: lost, expected: packets + lost, from: from, to: to)
        return stream
    }

    private static func tick(_ second: Int) -> Tick {
        Tick(time: Double(second + 1) * 1000, previous: Double(second) * 1000)
    }

    // MARK: Loss

    /// The streams that are lossy before they come to the path, of seconds with these losses each.
    private func lossy(_ seconds: Int, isRouted: Bool = true, _ losses: (Int) -> [UInt64]) -> Set<UInt64> {
        var origin = LossOrigin()
        for second in 0..<seconds {
            let streams = losses(second).enumerated().map {
                Self.stream(UInt64($0.offset), lost: $0.element, at: second)
            }
            _ = origin.handle(streams, isRouted: isRouted, at: Double(second + 1) * 1000)
        }
        return Set(origin.lossy.keys)
    }

    @Test("A stream that alone is lossy of several was so before")
    func lossOfOne() {
        #expect(lossy(6) { _ in [0, 4, 0, 0] } == [1])
        #expect(lossy(6) { _ in [3, 4, 0, 0] } == [0, 1])
        // A packet that another one lost changes nothing.
        #expect(lossy(6) { [0, 4, $0 == 2 ? 1 : 0, 0] } == [1])
        #expect(lossy(6, isRouted: false) { _ in [0, 4, 0, 0] } == [])
    }

    @Test("Loss of all, of one burst, or that may be chance is the path's")
    func lossOfPath() {
        #expect(lossy(6) { _ in [3, 4, 3, 5] } == [])
        #expect(lossy(6) { $0 == 3 ? [0, 40, 0, 0] : [0, 0, 0, 0] } == [])
        #expect(lossy(3) { _ in [0, 1, 0] } == [])
        // No others of the kind: large packets may be what a path drops.
        #expect(lossy(6) { _ in [4, 0] } == [])
    }

    /// The same of reports that come every few seconds.
    private func rarelyLossy(
        every interval: Int, _ reports: Int, _ losses: (Int) -> [UInt64], packets: ((Int) -> UInt64)? = nil
    ) -> Set<UInt64> {
        var origin = LossOrigin()
        for report in 0..<reports {
            let end = Double((report + 1) * interval) * 1000
            let streams = losses(report).enumerated().map {
                var stream = Self.stream(
                    UInt64($0.offset), packets: packets?($0.offset) ?? UInt64(interval * 50),
                    lost: $0.element,
                    at: report)
                stream.loss?.from = end - Double(interval) * 1000
                stream.loss?.to = end
                return stream
            }
            _ = origin.handle(streams, isRouted: true, at: end)
        }
        return Set(origin.lossy.keys)
    }

    @Test("Reports that come rarely show it, too: no burst that others escape lasts for half a second")
    func lossOfOneRarely() {
        #expect(rarelyLossy(every: 5, 2) { [0, $0 > 0 ? 60 : 0, 0, 0] } == [1])
        #expect(rarelyLossy(every: 10, 2) { [0, $0 > 0 ? 60 : 0, 0, 0] } == [1])
        #expect(rarelyLossy(every: 5, 2) { [0, $0 > 0 ? 15 : 0, 0, 0] } == [])
        #expect(rarelyLossy(every: 5, 4) { [0, $0 > 0 ? 15 : 0, 0, 0] } == [1])
        #expect(rarelyLossy(every: 10, 4) { [0, $0 > 0 ? 20 : 0, 0, 0] } == [1])
        // Of few packets some are lost by chance.
        #expect(
            rarelyLossy(every: 5, 3) {
                [0, $0 > 0 ? 3 : 0, 0, 0]
            } packets: {
                [250, 12, 250, 250][$0]
            } == [])
        #expect(
            rarelyLossy(every: 5, 2) {
                [0, $0 > 0 ? 25 : 0, 0, 0]
            } packets: {
                [250, 25, 250, 250][$0]
            } == [])
        // And that it is over.
        #expect(rarelyLossy(every: 10, 5) { [0, $0 < 4 ? 60 : 0, 0, 0] } == [])
    }

    @Test("It ends soon after its last loss")
    func lossEnds() {
        #expect(lossy(13) { $0 < 10 ? [0, 4, 0, 0] : [0, 0, 0, 0] } == [])
        #expect(lossy(11) { $0 < 10 ? [0, 4, 0, 0] : [0, 0, 0, 0] } == [1])
    }

    @Test("Audio and video are each held against their own kind")
    func kinds() {
        var origin = LossOrigin()
        for second in 0..<6 {
            let streams = [
                Self.stream(0, .audio, at: second), Self.stream(1, .audio, at: second),
                Self.stream(2, .video, packets: 100, lost: 10, at: second),
            ]
            _ = origin.handle(streams, isRouted: true, at: Double(second + 1) * 1000)
        }
        #expect(origin.lossy.isEmpty)
    }

    // MARK: Stops

    private func stop(_ seconds: [[UInt64]], every interval: Int = 1, isVideoSent: Bool = true) -> Double? {
        var stop = JointStop()
        for (second, packets) in seconds.enumerated() {
            let streams = packets.enumerated().flatMap {
                [
                    Self.stream(UInt64($0.offset), packets: $0.element, at: second),
                    Self.stream(
                        UInt64($0.offset + 10), .video, packets: isVideoSent ? $0.element : 0, at: second),
                ]
            }
            let length = Double(interval)
            stop.handle(
                streams,
                at: Tick(time: Double(second + 1) * length * 1000, previous: Double(second) * length * 1000))
        }
        return stop.since
    }

    @Test("Three who stop at once do not do so by themselves")
    func stopOfAll() {
        #expect(stop([[50, 50, 50], [50, 50, 50], [0, 0, 0]]) != nil)
        #expect(stop([[50, 50, 50], [50, 0, 50], [0, 0, 0]]) != nil)
        #expect(stop([[50, 50, 50], [0, 0, 0], [50, 0, 0]]) == nil)
    }

    @Test("Who stops one after the other does, and so do two")
    func stopOfSome() {
        #expect(stop([[50, 50, 50], [50, 50, 0], [50, 0, 0], [0, 0, 0]]) == nil)
        #expect(
            stop([[50, 50, 50], [50, 50, 0], [50, 50, 0], [50, 0, 0], [50, 0, 0], [0, 0, 0]]) == nil)
        #expect(stop([[50, 50], [50, 50], [0, 0]]) == nil)
        #expect(stop([[50, 50, 0], [50, 50, 0], [0, 0, 0]]) == nil)
        #expect(stop([]) == nil)
        // All may be muted at once, and of two reports far apart no one knows.
        #expect(stop([[50, 50, 50], [50, 50, 50], [0, 0, 0]], isVideoSent: false) == nil)
        #expect(stop([[50, 50, 50], [50, 50, 50], [0, 0, 0]], every: 5) == nil)
        #expect(stop([[50, 50, 50], [50, 50, 50], [0, 0, 0]], every: 2) != nil)
    }

    // MARK: Stalls

    /// A participant's audio and video, which stall or do not.
    private struct Participant {
        var audio = false
        var video = false
        var jitter = 0.003
        /// Packets of audio and frames a second.
        var packets: UInt64 = 50
        var frames: UInt64 = 30

        static let steady = Participant()
        static let stalled = Participant(audio: true, video: true)
    }

    /// Where streams stall, by participant, after seconds of these.
    private func stalls(
        _ seconds: [[Participant]], isRouted: Bool = true, isConcealmentCounted: Bool = true
    ) -> (audio: [Int: StallOrigin.Place], video: [Int: StallOrigin.Place]) {
        var origin = StallOrigin()
        for (second, participants) in seconds.enumerated() {
            var report = StatsReport(timestamp: Double(second + 1) * 1000)
            let streams = participants.enumerated().flatMap { index, participant in
                var audio = Self.stream(
                    UInt64(2 * index), packets: participant.packets, at: second)
                audio.packets?.seconds = 1
                if isConcealmentCounted {
                    audio.samples = Increment(amount: 48_000)
                    audio.concealed = Increment(amount: participant.audio ? 4800 : 0)
                }
                var video = Self.stream(UInt64(2 * index + 1), .video, packets: 100, at: second)
                video.freezes = Increment(amount: participant.video ? 1 : 0)
                video.frames = Increment(amount: participant.frames, seconds: 1)
                for _ in 0..<2 {
                    let id = "I\(report.inboundRTP.count)"
                    report.inboundRTP.append(InboundRTPStats(id: id, timestamp: report.timestamp))
                }
                report.inboundRTP[2 * index].jitter = participant.jitter
                return [audio, video]
            }
            origin.handle(streams, report, isRouted: isRouted, at: Self.tick(second))
        }
        func places(_ place: UInt64) -> [Int: StallOrigin.Place] {
            Dictionary(
                uniqueKeysWithValues: origin.places.filter { $0.key % 2 == place }
                    .map { (Int($0.key / 2), $0.value) })
        }
        return (places(0), places(1))
    }

    /// Eight good seconds, then these, of which every second one is the last good one again.
    private func after(_ good: [Participant], _ bad: [Participant]) -> [[Participant]] {
        Array(repeating: good, count: 8) + [bad, good, good, bad]
    }

    @Test("What stalls in the same moments does so on the path")
    func stallsOfPath() {
        let good = [Participant.steady, .steady, .steady]
        let found = stalls(after(good, [.stalled, .stalled, .stalled]), isRouted: false)
        #expect(found.audio == [0: .path, 1: .path, 2: .path])
        #expect(found.video == [0: .path, 1: .path, 2: .path])
        // Once is chance; video alone stops at once when its layout changes.
        #expect(stalls([good, [.stalled, .stalled, .stalled], good]).audio.isEmpty)
        let paused = Participant(video: true)
        #expect(stalls(after(good, [paused, paused, paused])).video.isEmpty)
    }

    @Test("What stalls alone of several was late before the server passed it on")
    func stallsOfOne() {
        let good = [Participant.steady, .steady, .steady], one = [Participant.stalled, .steady, .steady]
        #expect(stalls(after(good, one)).audio == [0: .sender])
        #expect(stalls(after(good, one)).video == [0: .sender])
        #expect(stalls(after(good, one), isRouted: false).audio.isEmpty)
        let jittery = Participant(jitter: 0.04)
        #expect(stalls(after(good, [.steady, jittery, .steady])).audio == [1: .sender])
        // Of two people one is enough, whose audio and video come steadily while the other's both stall.
        #expect(stalls(after([.steady, .steady], [.stalled, .steady])).audio == [0: .sender])
        let audible = Participant(audio: true)
        #expect(stalls(after([.steady, .steady], [audible, .steady])).audio.isEmpty)
        // Two that take turns are no one's.
        let turns = [one, [.steady, .stalled, .steady]]
        #expect(stalls(Array(repeating: good, count: 8) + turns + turns + turns).audio.isEmpty)
    }

    @Test("Where no engine counts what is concealed, audio is late by the times of its packets")
    func stallsByJitter() {
        let good = Array(repeating: Participant(jitter: 0.004), count: 3)
        func found(_ jitter: Double...) -> [Int: StallOrigin.Place] {
            stalls(after(good, jitter.map { Participant(jitter: $0) }), isConcealmentCounted: false).audio
        }
        #expect(found(0.004, 0.027, 0.004) == [1: .sender])
        #expect(found(0.027, 0.027, 0.027) == [0: .path, 1: .path, 2: .path])
        // The others may be late as well.
        #expect(found(0.015, 0.027, 0.015).isEmpty)
    }

    @Test("Who sends comfort noise, or few frames, shows no stall that another one shows")
    func stallsBesideSilence() {
        let quiet = Participant(packets: 3, frames: 7)
        let found = stalls(after([.steady, quiet, quiet], [.stalled, quiet, quiet]))
        #expect(found.audio.isEmpty && found.video.isEmpty)
    }

    // MARK: Freezes

    /// The frozen share after seconds with these frames, and freezes that ended in them.
    private func frozen(
        _ seconds: [(frames: Double, freeze: Double?)], isExplained: Bool = false, hasKeyFrames: Bool = false
    )
        -> [Double?]
    {
        var freezes = RecurrentFreezes()
        return seconds.enumerated().map {
            freezes.handle(
                $0.element.freeze, frames: $0.element.frames,
                hasKeyFrame: hasKeyFrames && $0.element.freeze != nil, isExplained: isExplained,
                at: Self.tick($0.offset))
        }
    }

    /// Stops for three seconds of six.
    private static let stutter: [(frames: Double, freeze: Double?)] =
        Array(repeating: [(30, nil), (30, nil), (30, nil), (0, nil), (0, nil), (24, 3)], count: 3).flatMap(
            \.self)

    @Test("Video that stops and resumes, twice, is said to, and no longer soon after")
    func freezes() throws {
        let shares = frozen(Self.stutter + Array(repeating: (30, nil), count: 9))
        #expect(shares[..<11].allSatisfy { $0 == nil })
        let share = try #require(shares[11])
        #expect(abs(share - 6.0 / 9) < 0.01)
        #expect(shares[17] != nil && shares[24] != nil && shares[25] == nil && shares[26] == nil)
    }

    @Test("One freeze, short ones, a still screen and what the path explains are not")
    func noFreezes() {
        func isSilent(_ shares: [Double?]) -> Bool { shares.allSatisfy { $0 == nil } }
        #expect(isSilent(frozen(Array(Self.stutter[..<10]))))
        #expect(isSilent(frozen(Self.stutter, isExplained: true)))
        #expect(isSilent(frozen(Array(Self.stutter[..<17]), hasKeyFrames: true)))
        #expect(!isSilent(frozen(Self.stutter, hasKeyFrames: true)))
        #expect(isSilent(frozen(Self.stutter.map { ($0.frames, $0.freeze == nil ? nil : 0.3) })))
        #expect(isSilent(frozen(Self.stutter.map { ($0.frames / 10, $0.freeze) })))
        #expect(isSilent(frozen(Array(repeating: (1, 1), count: 20))))
    }
}
