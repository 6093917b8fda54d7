// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing
import WebRTCStats

@Suite("Scores of audio that stops and comes back")
struct StoppedAudioTests {
    /// What half a second has.
    private enum Half {
        case audio
        /// Nothing comes, and it is concealed audibly.
        case concealment
        /// Nothing comes, and concealment has faded.
        case silence
    }

    /// A subscriber that reports once a second.
    private struct Subscriber {
        var call = ScriptedCall.subscriber()
        var intent = MediaIntent.subscription()
        var remote = RemoteMetrics()
        /// Whether nothing else comes without audio: the path is out, or carries nothing else.
        var isAlone = true
        /// Whether reports have the audio.
        var isReported = true
        private var observer = SubscriberObserver()
        private(set) var scores: [Double?] = []

        var score: Double? { scores.last ?? nil }

        init() { call.received[0].gaps = 0 }

        mutating func second(_ first: Half, _ second: Half) {
            for half in [first, second] {
                change(half)
                call.advance(0.5)
            }
            var report = call.report()
            if !isReported { report.inboundRTP.removeFirst() }
            scores.append(observer.handle(report, intent: intent, remote: remote).audio?.mos)
        }

        private mutating func change(_ half: Half) {
            if isAlone { call.setFlowing(half == .audio) }
            call.received[0].isFlowing = half == .audio
            call.received[0].concealment = half == .concealment ? 1 : 0
            call.received[0].silentConcealment = half == .silence ? 1 : 0
            if half == .concealment { call.received[0].gaps = (call.received[0].gaps ?? 0) + 1 }
        }

        /// Ten good seconds, and one after half of which the audio stops.
        mutating func stop() {
            for _ in 0..<10 { second(.audio, .audio) }
            second(.audio, .concealment)
        }

        /// Says at one end that the audio is not to be heard.
        mutating func mute(_ isMuted: Bool, byIntent: Bool) {
            if byIntent {
                intent.audio?.muted = isMuted
            } else {
                remote.publisher = Aged(PublisherMetrics(audioMuted: isMuted), age: 0)
            }
        }

        mutating func wait(_ seconds: Int) {
            for _ in 0..<seconds { second(.silence, .silence) }
        }
    }

    @Test("The second in which an outage ends is as bad as what it lacks", arguments: [0, 4, 8])
    func end(seconds: Int) {
        var subscriber = Subscriber()
        subscriber.stop()
        subscriber.wait(seconds)
        subscriber.second(.silence, .audio)
        #expect(subscriber.score == 1)
        subscriber.second(.audio, .audio)
        #expect(subscriber.score ?? 0 > 4)
    }

    @Test("An outage is as bad as it gets once it is known; until then the sender may have stopped")
    func outage() {
        var subscriber = Subscriber()
        subscriber.stop()
        #expect(subscriber.scores.dropFirst().dropLast().allSatisfy { $0 ?? 0 > 4 })
        subscriber.wait(1)
        #expect(subscriber.score == nil)
        subscriber.wait(4)
        #expect(subscriber.scores.suffix(3).allSatisfy { $0 == 1 })
    }

    @Test("A stream that is on hold has no score, though nothing comes but answers to checks")
    func hold() {
        var subscriber = Subscriber()
        subscriber.call.received.removeLast()
        subscriber.intent = MediaIntent(
            role: .subscriber, routing: .routed, audio: AudioIntent(enabled: true))
        subscriber.call.checks = (0.02, 0)
        subscriber.stop()
        for second in 0..<30 {
            if second % 2 == 0 { subscriber.call.checks = (0.02, UInt64(second + 1)) }
            subscriber.wait(1)
        }
        #expect(subscriber.scores.suffix(30).allSatisfy { $0 == nil })
    }

    @Test("Audio that the reports no longer have has no score, and none is made of the gap that it left in")
    func gone() {
        var subscriber = Subscriber()
        subscriber.stop()
        subscriber.wait(5)
        #expect(subscriber.score == 1)
        subscriber.isReported = false
        subscriber.wait(1)
        #expect(subscriber.score == nil)
    }

    @Test(
        "Audio alone that stops may have been stopped: nothing was missing when it comes back",
        arguments: [1, 2, 20])
    func stopped(seconds: Int) {
        var subscriber = Subscriber()
        subscriber.isAlone = false
        subscriber.stop()
        subscriber.wait(seconds)
        #expect(subscriber.scores.suffix(seconds).allSatisfy { $0 == nil })
        subscriber.second(.silence, .audio)
        #expect(subscriber.score ?? 0 > 4)
    }

    @Test("What stopped with all else, and came back before that was an outage, has no score until then")
    func unknown() {
        var subscriber = Subscriber()
        subscriber.stop()
        subscriber.wait(1)
        subscriber.second(.silence, .audio)
        #expect(subscriber.scores.suffix(2).allSatisfy { $0 == nil })
        subscriber.second(.audio, .audio)
        #expect(subscriber.score ?? 0 > 4)
    }

    @Test(
        "Nothing is missing of audio that was muted, whatever the path did meanwhile",
        arguments: [true, false])
    func muted(byIntent: Bool) {
        var subscriber = Subscriber()
        subscriber.stop()
        subscriber.mute(true, byIntent: byIntent)
        subscriber.wait(8)
        #expect(subscriber.scores.suffix(8).allSatisfy { $0 == nil })
        subscriber.mute(false, byIntent: byIntent)
        subscriber.second(.silence, .audio)
        #expect(subscriber.score ?? 0 > 4)
    }
}
