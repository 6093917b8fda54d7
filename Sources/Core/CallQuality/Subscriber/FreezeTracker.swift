// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Counts the pauses and freezes of a received video.
///
/// The engine counts either only when the next frame comes. A pause is announced while it lasts, and the
/// engine's later count only corrects its duration.
struct FreezeTracker: Sendable {
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
        /// Whether video is off intentionally.
        var isOff = false
        /// Whether the video may be static by its nature.
        var mayStandStill = false
        /// Whether the sender sent frames since the last tick; `nil` if unknown.
        var senderSentFrames: Bool?
    }

    /// A pause is longer than this, in ms.
    let pauseLength: Double
    /// How long after a frame the sender's report may still be about that frame or earlier ones, in ms.
    static let senderLag: Double = 3000
    /// How long after a gap's end the engine may still count it, in ms.
    static let accountingTime: Double = 2000

    /// Number of freezes; `nil` if never reported.
    private(set) var freezeCount: UInt64?
    /// Duration of all freezes, in ms; `nil` if never reported.
    private(set) var freezeDuration: Double?
    /// Time of the last frame, in Unix ms; `nil` before the first one.
    private(set) var lastFrame: Double?
    /// Time from which a frame has been expected, in Unix ms: ``lastFrame``, or later if the video was static
    /// since.
    private(set) var overdueSince: Double?
    /// Whether the sender reports what it sends.
    private(set) var isSenderKnown = false
    /// Whether the running gap is intentional: off deliberately, or static video.
    private(set) var isSuppressed = false

    private var finished: (count: UInt64, duration: Double) = (0, 0)
    private var countsPauses = false
    private var running: Double?
    private var unaccounted: (duration: Double, until: Double)?
    private var suppression: (off: Bool, still: Bool, until: Double) = (false, false, 0)

    init(pauseLength: Double) { self.pauseLength = pauseLength }

    /// Number of pauses, one that lasts included; `nil` before the first frame.
    var pauseCount: UInt64? { countsPauses ? finished.count.addingSaturated(running == nil ? 0 : 1) : nil }

    /// Duration of all pauses, in ms, one that lasts included; `nil` before the first frame.
    var pauseDuration: Double? { countsPauses ? (finished.duration + (running ?? 0)).rounded() : nil }

    /// Takes the next tick.
    mutating func handle(_ input: Input) {
        isSenderKnown = input.senderSentFrames != nil
        noteSuppression(input)
        countFreezes(input)
        if input.gotFrames == true { endGap(input.time) }
        accountForPauses(input)
        if input.gotFrames == true {
            if suppression.off || suppression.still { suppression.until = input.time + Self.accountingTime }
            suppression.off = input.isOff
            suppression.still = false
        } else {
            announcePause(input)
        }
        isSuppressed = suppression.off || suppression.still
    }

    private mutating func noteSuppression(_ input: Input) {
        if input.isOff { suppression.off = true }
        guard input.mayStandStill, let lastFrame, let sent = input.senderSentFrames else { return }
        if !sent {
            suppression.still = true
            overdueSince = input.time
        } else if input.gotFrames != true, input.time - lastFrame > Self.senderLag {
            suppression.still = false
        }
    }

    /// A freeze that overlaps an intentional break is none, nor is static video.
    private mutating func countFreezes(_ input: Input) {
        guard let freezes = input.freezes else { return }
        let isSuppressed = suppression.off || suppression.still || input.time <= suppression.until
        let counted = isSuppressed ? freezes - min(freezes, 1) : freezes
        freezeCount = (freezeCount ?? 0).addingSaturated(counted)
        freezeDuration = (freezeDuration ?? 0) + (counted == 0 ? 0 : input.freezeDuration * 1000)
    }

    private mutating func endGap(_ time: Double) {
        if let running {
            finished.count = finished.count.addingSaturated(1)
            finished.duration += running
            unaccounted = (running, time + Self.accountingTime)
        }
        running = nil
        countsPauses = true
        lastFrame = time
        overdueSince = time
    }

    /// Takes the engine's pauses, all but the one that was announced before the engine knew.
    private mutating func accountForPauses(_ input: Input) {
        guard var pauses = input.pauses, pauses > 0 else { return }
        var duration = input.pauseDuration * 1000
        if let unaccounted, input.time <= unaccounted.until {
            pauses -= 1
            duration = max(0, duration - unaccounted.duration)
            self.unaccounted = nil
        } else if suppression.still {
            pauses -= 1
            duration = pauses == 0 ? 0 : duration
        }
        finished.count = finished.count.addingSaturated(pauses)
        finished.duration += duration
    }

    private mutating func announcePause(_ input: Input) {
        guard let overdueSince, input.gotFrames != nil || input.isOff else { return }
        // Without the sender's metrics, video that may be static is left to the engine.
        if input.mayStandStill, !input.isOff, input.senderSentFrames == nil { return }
        let gap = input.time - overdueSince
        if gap > pauseLength || running != nil { running = max(running ?? 0, gap) }
    }
}
