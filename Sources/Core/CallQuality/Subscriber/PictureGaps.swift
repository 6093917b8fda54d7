// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Counts the pauses and freezes of a received video.
///
/// The engine counts either only when the next frame comes. A pause is announced while it lasts, and the
/// engine's later word about it only corrects its duration.
struct PictureGaps: Sendable {
    /// What a tick says about frames.
    struct Input: Sendable {
        var time: Double
        /// Whether frames were decoded; `nil` if unknown.
        var gotFrames: Bool?
        var freezes: UInt64?
        /// Seconds.
        var freezeDuration: Double = 0
        var pauses: UInt64?
        /// Seconds.
        var pauseDuration: Double = 0
        /// Whether video is off on purpose.
        var isOff = false
        /// Whether the video may be static by its nature.
        var mayStandStill = false
        /// Whether the sender sent frames since the last tick; `nil` if unknown.
        var senderSentFrames: Bool?
    }

    /// A pause is longer than this, in ms.
    let pauseLength: Double
    /// So long after a frame, in ms, what the sender said may still be about that frame or earlier ones.
    static let senderLag: Double = 3000
    /// How long after a gap's end the engine may still count it, in ms.
    static let bookingTime: Double = 2000

    /// Number of freezes; `nil` if never reported.
    private(set) var freezeCount: UInt64?
    /// Duration of all freezes, in ms; `nil` if never reported.
    private(set) var freezeDuration: Double?
    /// Time of the last frame, in Unix ms; `nil` before the first one.
    private(set) var lastFrame: Double?
    /// Time from which a frame has been expected, in Unix ms: ``lastFrame``, or later if the video was static
    /// since.
    private(set) var dueSince: Double?
    /// Whether the sender says what it sends.
    private(set) var isSenderKnown = false
    /// Whether the running gap is intentional: off on purpose, or static video.
    private(set) var isExcused = false

    private var finished: (count: UInt64, duration: Double) = (0, 0)
    private var countsPauses = false
    private var running: Double?
    private var unbooked: (duration: Double, until: Double)?
    private var excuse: (off: Bool, still: Bool, until: Double) = (false, false, 0)

    init(pauseLength: Double) { self.pauseLength = pauseLength }

    /// Number of pauses, one that lasts included; `nil` before the first frame.
    var pauseCount: UInt64? { countsPauses ? finished.count.addingSaturated(running == nil ? 0 : 1) : nil }

    /// Duration of all pauses, in ms, one that lasts included; `nil` before the first frame.
    var pauseDuration: Double? { countsPauses ? (finished.duration + (running ?? 0)).rounded() : nil }

    /// Takes the next tick.
    mutating func handle(_ input: Input) {
        isSenderKnown = input.senderSentFrames != nil
        noteExcuses(input)
        countFreezes(input)
        if input.gotFrames == true { endGap(input.time) }
        bookPauses(input)
        if input.gotFrames == true {
            if excuse.off || excuse.still { excuse.until = input.time + Self.bookingTime }
            excuse.off = input.isOff
            excuse.still = false
        } else {
            announcePause(input)
        }
        isExcused = excuse.off || excuse.still
    }

    private mutating func noteExcuses(_ input: Input) {
        if input.isOff { excuse.off = true }
        guard input.mayStandStill, let lastFrame, let sent = input.senderSentFrames else { return }
        if !sent {
            excuse.still = true
            dueSince = input.time
        } else if input.gotFrames != true, input.time - lastFrame > Self.senderLag {
            excuse.still = false
        }
    }

    /// A freeze that overlaps an intentional break is none, nor is static video.
    private mutating func countFreezes(_ input: Input) {
        guard let freezes = input.freezes else { return }
        let isExcused = excuse.off || excuse.still || input.time <= excuse.until
        let counted = isExcused ? freezes - min(freezes, 1) : freezes
        freezeCount = (freezeCount ?? 0).addingSaturated(counted)
        freezeDuration = (freezeDuration ?? 0) + (counted == 0 ? 0 : input.freezeDuration * 1000)
    }

    private mutating func endGap(_ time: Double) {
        if let running {
            finished.count = finished.count.addingSaturated(1)
            finished.duration += running
            unbooked = (running, time + Self.bookingTime)
        }
        running = nil
        countsPauses = true
        lastFrame = time
        dueSince = time
    }

    /// Takes the engine's pauses, all but the one that was announced before the engine knew.
    private mutating func bookPauses(_ input: Input) {
        guard var pauses = input.pauses, pauses > 0 else { return }
        var duration = input.pauseDuration * 1000
        if let unbooked, input.time <= unbooked.until {
            pauses -= 1
            duration = max(0, duration - unbooked.duration)
            self.unbooked = nil
        } else if excuse.still {
            pauses -= 1
            duration = pauses == 0 ? 0 : duration
        }
        finished.count = finished.count.addingSaturated(pauses)
        finished.duration += duration
    }

    private mutating func announcePause(_ input: Input) {
        guard let dueSince, input.gotFrames != nil || input.isOff else { return }
        // Without the sender's metrics, video that may be static is left to the engine.
        if input.mayStandStill, !input.isOff, input.senderSentFrames == nil { return }
        let gap = input.time - dueSince
        if gap > pauseLength || running != nil { running = max(running ?? 0, gap) }
    }
}
