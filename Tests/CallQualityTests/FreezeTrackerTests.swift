// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Pauses and freezes")
struct FreezeTrackerTests {
    var call = ScriptedCall.subscriber()
    var observer = SubscriberObserver()

    /// One tick of a second.
    private mutating func tick(
        _ intent: MediaIntent = .subscription(), remote: RemoteMetrics = RemoteMetrics()
    ) throws -> MediaFigures {
        call.advance(1)
        return try #require(observer.handle(call.report(), intent: intent, remote: remote).video)
    }

    @Test("A pause is announced while it lasts and not counted again when the engine counts it")
    mutating func livePause() throws {
        for _ in 0..<3 { _ = try tick() }
        call.received[1].isActive = false
        var counts: [Int?] = []
        for _ in 0..<8 { counts.append(try tick().pauseCount) }
        #expect(counts == [0, 0, 0, 0, 0, 1, 1, 1])
        call.received[1].isActive = true
        call.received[1].pause(seconds: 8.2)
        let resumed = try tick()
        #expect(resumed.pauseCount == 1)
        #expect(abs((resumed.totalPausesDuration ?? 0) - 8200) < 10)
        #expect(try tick().pauseCount == 1)
    }

    @Test("A pause that the engine counts a tick late, or never, counts once", arguments: [true, false])
    mutating func lateBooking(isBooked: Bool) throws {
        for _ in 0..<3 { _ = try tick() }
        call.received[1].isActive = false
        for _ in 0..<8 { _ = try tick() }
        call.received[1].isActive = true
        let resumed = try tick()
        if isBooked { call.received[1].pause(seconds: 8.2) }
        let later = try tick()
        #expect(resumed.pauseCount == 1 && later.pauseCount == 1)
        #expect((later.totalPausesDuration ?? 0) >= (resumed.totalPausesDuration ?? 0))
    }

    @Test("Five seconds are no pause")
    mutating func shortGap() throws {
        for _ in 0..<3 { _ = try tick() }
        call.received[1].isActive = false
        for _ in 0..<5 { #expect(try tick().pauseCount == 0) }
        call.received[1].isActive = true
        #expect(try tick().pauseCount == 0)
    }

    @Test("An intentional break is a pause, and the freeze the engine makes of it is none")
    mutating func intentional() throws {
        for _ in 0..<3 { _ = try tick() }
        call.received[1].isActive = false
        for _ in 0..<7 { _ = try tick(.subscription(isVideoOn: false)) }
        #expect(try tick(.subscription(isVideoOn: false)).pauseCount == 1)
        call.received[1].isActive = true
        call.received[1].freeze(seconds: 8)
        let back = try tick()
        #expect(back.freezeCount == 0 && back.totalFreezesDuration == 0)
        call.received[1].freeze(seconds: 0.4)
        for _ in 0..<3 { _ = try tick() }
        call.received[1].freeze(seconds: 0.4)
        let frozen = try tick()
        #expect(frozen.freezeCount == 1 && frozen.totalFreezesDuration == 400)
    }

    @Test("A shared screen that is static is neither paused nor frozen")
    mutating func staticVideo() throws {
        let screen = MediaIntent.subscription(videoType: .screen)
        func facts(_ frames: UInt64) -> RemoteMetrics {
            RemoteMetrics(leg: Aged(SenderMetrics(videoFramesSent: frames), age: 0.5))
        }
        for second in 0..<4 { _ = try tick(screen, remote: facts(UInt64(second * 30))) }
        call.received[1].isActive = false
        for _ in 0..<12 { #expect(try tick(screen, remote: facts(120)).pauseCount == 0) }
        call.received[1].isActive = true
        call.received[1].pause(seconds: 12)
        call.received[1].freeze(seconds: 12)
        let moved = try tick(screen, remote: facts(121))
        #expect(moved.pauseCount == 0 && moved.freezeCount == 0)
    }

    @Test("A shared screen whose frames are sent and do not arrive is paused")
    mutating func lostScreen() throws {
        let screen = MediaIntent.subscription(videoType: .screen)
        var frames: UInt64 = 0
        var counts: [Int?] = []
        for second in 0..<16 {
            call.received[1].isActive = second < 4
            frames += 10
            let remote = RemoteMetrics(leg: Aged(SenderMetrics(videoFramesSent: frames), age: 0.5))
            counts.append(try tick(screen, remote: remote).pauseCount)
        }
        #expect(counts.last == 1)
    }
}
