// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether what is sent reaches the far end in clumps, as a radio that stalls again and again makes it.
///
/// RTCP's jitter has forgotten a stall after a second, and is about audio every five seconds only: its figures are higher than
/// usual then, but small. Round trips show the stalls themselves: some are far above the usual ones, and those between them
/// are as short as ever, so that no queue stands. Reports that come every five seconds or more rarely do not show it.
///
/// A media router that knows when packets were sent sees each stall: two of them say that it stalls, and a long one says it of
/// its own second.
struct UplinkStalls: Sendable {
    /// A figure over time: what was measured of late, and what is usual of it.
    private struct Course: Sendable {
        /// In order of time.
        private(set) var recent: [(time: Double, value: Double)] = []
        /// Of the time in which nothing stalled.
        private var usual: [Double] = []

        mutating func add(_ value: Double?, isCalm: Bool, at time: Double) {
            recent.removeAll { $0.time < time - UplinkStalls.window }
            guard let value else { return }
            recent.append((time, value))
            guard isCalm else { return }
            usual.append(value)
            usual.removeFirst(max(0, usual.count - UplinkStalls.mostUsual))
        }

        /// The least that is usual; `nil` while that is not known.
        var least: Double? { usual.count >= UplinkStalls.fewestUsual ? usual.min() : nil }

        /// What three of four are above usually; `nil` while that is not known.
        var lowerQuartile: Double? {
            usual.count >= UplinkStalls.fewestUsual ? usual.sorted()[usual.count / 4] : nil
        }
    }

    private var roundTrips: [Course] = []
    private var audio = Course()
    private var video = Course()
    /// When a router saw delays vary by that much, in ms.
    private var spreads: [Double] = []
    /// When the last of several was.
    private var seenAt = -Double.infinity
    /// Whether there was a long one in what came last.
    private var isLong = false
    /// Whether round trips and jitter show it.
    private var isInferred = false
    /// Whether it does.
    private(set) var isTrue = false

    /// What is of late, in ms.
    private static let window = 12_000.0
    /// Measurements that show what is usual, and the most that are remembered.
    private static let fewestUsual = 5
    private static let mostUsual = 60
    /// How far above the least a round trip is that met a stall, in seconds and at least as much as that is, and how soon a short
    /// one follows, in ms: a queue that begins stays.
    private static let stall = 0.08
    private static let soon = 3000.0
    /// How many stalls there have to be of late, how many ms apart, and the share of the round trips.
    private static let stalls = 3
    private static let apart = 1500.0
    private static let share = 0.1
    /// How far above the least half of the round trips are at most, as a factor and in seconds.
    private static let calm = (factor: 1.25, seconds: 0.01)
    /// How far above the usual jitter is, as a factor and in seconds, in how many samples: video's varies by itself.
    private static let raised = 2.5
    private static let raisedAudio = (seconds: 0.003, samples: 1)
    private static let raisedVideo = (seconds: 0.001, samples: 3)
    /// How much the delays of a second's packets vary that come in clumps, in seconds, and for how long after the second of two
    /// of them that counts, in ms.
    ///
    /// It is more than the buffers absorb that receivers start with.
    private static let spread = 0.1
    private static let spreadMemory = 3_500.0
    /// How much they vary in a second whose stall everyone hears, as it is the only one: a few frames of audio are concealed well,
    /// and not a dozen.
    private static let longSpread = 0.3
    /// How long packets are held up together at most, in seconds: a queue that grows varies delays, too.
    private static let heldUp = 0.05

    /// Takes what was newly measured in a tick, in seconds: round trip times, by who measures, and the far end's jitter.
    mutating func handle(
        roundTripTimes: [Double?], audioJitter: Double?, videoJitter: Double?, pathSeconds: [PathSecond],
        at time: Double
    ) {
        while roundTrips.count < roundTripTimes.count { roundTrips.append(Course()) }
        for (index, value) in roundTripTimes.enumerated() {
            roundTrips[index].add(value, isCalm: !isInferred, at: time)
        }
        audio.add(audioJitter, isCalm: !isInferred, at: time)
        video.add(videoJitter, isCalm: !isInferred, at: time)
        isInferred =
            hasStalls
            && (Self.isRaised(audio, by: Self.raisedAudio) || Self.isRaised(video, by: Self.raisedVideo))
        noteSpreads(pathSeconds, at: time)
        isTrue = isInferred || isLong || time - seenAt <= Self.spreadMemory
    }

    private mutating func noteSpreads(_ seconds: [PathSecond], at time: Double) {
        spreads.removeAll { $0 < time - Self.window }
        let stalled = seconds.filter {
            $0.timing.delaySpread >= Self.spread && $0.timing.sustainedDelay < Self.heldUp
        }
        isLong = stalled.contains { $0.timing.delaySpread >= Self.longSpread }
        for second in stalled where second.time - (spreads.last ?? -.infinity) >= Self.apart {
            spreads.append(second.time)
            if spreads.count > 1 { seenAt = second.time }
        }
    }

    /// Notes that something else makes round trips long.
    mutating func forget() {
        (isInferred, isLong, isTrue, spreads, seenAt) = (false, false, false, [], -.infinity)
    }

    private var hasStalls: Bool {
        var all = 0, stalled: [Double] = []
        for course in roundTrips {
            all += course.recent.count
            if let least = course.least { stalled += Self.stalls(of: course, above: least) }
        }
        guard Double(stalled.count) >= Self.share * Double(all) else { return false }
        // What is measured in two ways may have met the same stall.
        var last = -Double.infinity, count = 0
        for time in stalled.sorted() where time - last >= Self.apart { (last, count) = (time, count + 1) }
        return count >= Self.stalls
    }

    /// When round trips met stalls; none where most are longer than usual, for a queue stands, or the path is longer.
    private static func stalls(of course: Course, above least: Double) -> [Double] {
        let (long, short) = (least + max(stall, least), least * calm.factor + calm.seconds)
        let found = zip(course.recent, course.recent.dropFirst())
            .filter { $0.value >= long && $1.value <= short && $1.time - $0.time <= soon }
        guard !found.isEmpty else { return [] }
        let values = course.recent.map(\.value).sorted()
        return values[values.count / 2] <= short ? found.map(\.0.time) : []
    }

    private static func isRaised(_ course: Course, by least: (seconds: Double, samples: Int)) -> Bool {
        guard let usual = course.lowerQuartile else { return false }
        let high = max(usual * raised, usual + least.seconds)
        return course.recent.count { $0.value >= high } >= least.samples
    }
}
