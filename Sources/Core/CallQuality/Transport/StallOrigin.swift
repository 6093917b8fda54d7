// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Tells where media stall that come over one path from several people: on that path, which all of them take, or before
/// the server that passes them on.
///
/// A path that stalls holds up what everyone sends, in the same moments. Where what one sends stalls and the others' does
/// not, it was late when the server got it.
struct StallOrigin: Sendable {
    /// Where it is.
    enum Place: Sendable {
        case path, sender
    }

    /// What a stream's tick says of stalls.
    private enum Course: Sendable {
        case steady, stalled
        /// Something else may explain what stalled, or nothing came.
        case unknown
    }

    private struct Stream: Sendable {
        var kind: MediaKind
        var stalls: [Double] = []
        /// Packets of audio or frames of video a second, lately.
        var rate = 0.0
        var steadySince: Double?

        mutating func note(_ course: Course, rate new: Double, since oldest: Double, at time: Double) {
            rate += (new - rate) * StallOrigin.smoothing
            stalls.removeAll { $0 <= oldest }
            switch course {
            case .unknown: steadySince = nil
            case .steady: steadySince = steadySince ?? time
            case .stalled:
                steadySince = nil
                // Ticks that are short may share one.
                if time - (stalls.last ?? -.infinity) >= StallOrigin.apart { stalls.append(time) }
            }
        }
    }

    private var streams: [UInt64: Stream] = [:]
    /// Ticks in which most streams of a kind stalled, and whether it was audio.
    private var joint: [(time: Double, isAudio: Bool)] = []
    /// Where the streams stall that do, by their keys.
    private(set) var places: [UInt64: Place] = [:]

    /// Time over which stalls are compared, in ms, and reports at least.
    private static let window = 10_000.0
    private static let reports = 5.0
    /// Seconds between two reports up to which stalls in the same one are the same.
    private static let longestInterval = 2.2
    /// Milliseconds between two stalls of a stream.
    private static let apart = 900.0
    /// Most streams that are compared.
    private static let most = 64
    /// Stalls that are several, and people whose media are compared with those of others.
    private static let several = 2
    /// Share of the streams that stall where it is the path that does.
    private static let majority = 0.6
    /// Share of the rate of what stalls that a stream has to have to show the same stalls.
    private static let likeRate = 0.5
    /// How fast a rate follows the present one.
    private static let smoothing = 0.3
    /// Jitter of audio that comes late in heaps, in seconds.
    private static let jitter = 0.02
    /// Jitter of audio of which no packet comes too late, in seconds.
    private static let steadyJitter = 0.01
    /// Share of a tick's audio that is concealed when packets are late.
    private static let concealment = 0.03
    /// Share of a tick's packets that are lost where loss explains a gap.
    private static let loss = 0.015

    /// Takes the received streams of a tick.
    ///
    /// - Parameter isRouted: Whether a server passes the streams on.
    mutating func handle(
        _ new: [InboundDelta], _ report: borrowing StatsReport, isRouted: Bool, at tick: Tick
    ) {
        if !places.isEmpty { places = [:] }
        guard new.count > Self.several, new.count <= Self.most, let interval = tick.interval else {
            if !streams.isEmpty { self = StallOrigin() }
            return
        }
        let oldest = tick.time - max(Self.window, Self.reports * 1000 * interval)
        joint.removeAll { $0.time <= oldest }
        var known = (audio: 0, video: 0), stalled = (audio: 0, video: 0)
        for delta in new {
            let course = Self.course(delta, report.inboundRTP[delta.index].jitter?.ifSane)
            let rate = (delta.kind == .audio ? delta.packets : delta.frames)?.perSecond ?? 0
            streams[delta.key, default: Stream(kind: delta.kind, rate: rate)]
                .note(course, rate: rate, since: oldest, at: tick.time)
            guard course != .unknown else { continue }
            let count = course == .stalled ? 1 : 0
            switch delta.kind {
            case .audio: (known.audio, stalled.audio) = (known.audio + 1, stalled.audio + count)
            case .video: (known.video, stalled.video) = (known.video + 1, stalled.video + count)
            }
        }
        forgetOthers(than: new)
        if interval <= Self.longestInterval {
            noteJoint(stalled.audio, of: known.audio, isAudio: true, at: tick.time)
            noteJoint(stalled.video, of: known.video, isAudio: false, at: tick.time)
        }
        guard streams.values.contains(where: { $0.stalls.count >= Self.several }) else { return }
        for kind in MediaKind.allCases { place(kind, isRouted: isRouted, since: oldest) }
    }

    private mutating func noteJoint(_ stalled: Int, of known: Int, isAudio: Bool, at time: Double) {
        guard stalled >= Self.several, Double(stalled) >= Self.majority * Double(known) else { return }
        joint.append((time, isAudio))
    }

    private mutating func forgetOthers(than new: [InboundDelta]) {
        guard streams.count > new.count else { return }
        let keys = Set(new.map(\.key))
        streams = streams.filter { keys.contains($0.key) }
    }

    private mutating func place(_ kind: MediaKind, isRouted: Bool, since oldest: Double) {
        let bad = streams.filter { $0.value.kind == kind && $0.value.stalls.count >= Self.several }
        guard let rate = bad.values.map(\.rate).max() else { return }
        // Video alone may stop at once for other reasons, such as another layout.
        if Set(joint.map(\.time)).count >= Self.several, joint.contains(where: \.isAudio) {
            for key in bad.keys { places[key] = .path }
            return
        }
        let steady = streams.values.filter { stream in
            stream.stalls.isEmpty && (stream.steadySince ?? .infinity) <= oldest + Self.window / 2
        }
        let fine = steady.count { $0.kind == kind && $0.rate >= Self.likeRate * rate }
        // Of two people one is enough, whose audio and video come steadily while the other's both stall.
        let isWhole = Set(streams.values.filter { $0.stalls.count >= Self.several }.map(\.kind)).count > 1
        let enough = isWhole && steady.count >= Self.several ? 1 : Self.several
        guard isRouted, fine >= enough, fine >= bad.count else { return }
        for key in bad.keys { places[key] = .sender }
    }

    private static func course(_ delta: InboundDelta, _ jitter: Double?) -> Course {
        guard let packets = delta.packets?.amount, packets > 0 else { return .unknown }
        if let loss = delta.loss, Double(loss.lost) > Self.loss * Double(loss.expected) { return .unknown }
        switch delta.kind {
        case .audio:
            let isLate = !delta.isResuming && jitter ?? 0 >= Self.jitter
            // Where no one counts what is concealed, the packets' times are all that shows it.
            guard let concealed = delta.concealed?.amount else {
                guard let jitter else { return .unknown }
                return isLate ? .stalled : jitter < Self.steadyJitter ? .steady : .unknown
            }
            guard let samples = delta.samples?.amount, samples > 0 else { return .unknown }
            let audible = concealed - min(concealed, delta.silentConcealed?.amount ?? 0)
            return isLate || Double(audible) >= Self.concealment * Double(samples) ? .stalled : .steady
        case .video:
            guard let freezes = delta.freezes?.amount else { return .unknown }
            return freezes > 0 ? .stalled : .steady
        }
    }
}
