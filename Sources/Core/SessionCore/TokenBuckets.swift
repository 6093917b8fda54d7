// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// What a client may do only so often.
enum LimitedRequest: Hashable, Sendable, CaseIterable {
    /// `join`; by token, for each brings all other rates with it.
    case join
    /// `publish` and `subscribe`; by client. New peer connections of a participant of an observed call.
    case publication
    /// `replace` at the media router; by publication or subscription.
    case replacement
    /// A later `offer` to the media router; by leg.
    case laterOffer
    /// `candidate` for the media router; by client.
    case candidate
    /// `prefer`; by subscription.
    case preference
    /// `update`; by stream. What exceeds it waits, and the last one counts.
    case update
    /// Events of `telemetry`; by leg, and for all legs that are over together. Reports of an observed call; by peer
    /// connection.
    case telemetry
    /// Offers to a subscriber; by subscription.
    case introduction
    /// Bytes of offers and candidates for another client; by that client.
    case passedOnBytes
    /// `settled`; by subscription.
    case settlement
    /// `legLost`; by subscription.
    case lostLeg
    /// `giveUp`; by subscription.
    case giveUp
    /// Bytes of an observed call's reports; by participant.
    case observedBytes
    /// Reports of an observed call; by participant.
    case observedReport
    /// Tracks in reports, each of which is judged; by participant of an observed call, or by client.
    case reportedTrack
    /// Publications and subscriptions that begin in an observed call; by participant.
    case observedFlow
    /// `forceUnpublish` and `forceDisconnect`; by client.
    case moderation
    /// Changes of a client's emulated network; by client.
    case emulation
    /// `networkTest`; by client.
    case networkTest
    /// `rate`; by client. Ratings of an observed call; by participant.
    case rating

    /// How often it is allowed.
    var rate: Rate {
        switch self {
        case .join: Rate(perSecond: 1, burst: 60)
        // A large session's streams at once.
        case .publication: Rate(perSecond: 10, burst: 150)
        // Recovery tries six times.
        case .replacement, .introduction: Rate(perSecond: 1, burst: 6)
        case .laterOffer: Rate(perSecond: 2, burst: 8)
        case .candidate: Rate(perSecond: 100, burst: 2000)
        case .preference: Rate(perSecond: 10, burst: 30)
        case .update: Rate(perSecond: 2, burst: 2)
        // Clients measure once a second, and keep 240 events while they are away.
        case .telemetry: Rate(perSecond: 4, burst: 300)
        case .passedOnBytes: Rate(perSecond: 65_536, burst: 1_048_576)
        // Five plain reports of a conference a second, and what was held up for a few minutes.
        case .observedBytes: Rate(perSecond: 262_144, burst: 8_388_608)
        // Five peer connections a second, and what was held up for a minute.
        case .observedReport: Rate(perSecond: 20, burst: 300)
        // Ten conferences of fifty.
        case .reportedTrack: Rate(perSecond: 1000, burst: 10_000)
        // Who comes into ten conferences of fifty, and is brought back.
        case .observedFlow: Rate(perSecond: 10, burst: 2000)
        case .settlement: Rate(perSecond: 1, burst: 10)
        case .lostLeg: Rate(perSecond: 1, burst: 3)
        case .giveUp: Rate(perSecond: 1, burst: 3)
        case .moderation: Rate(perSecond: 10, burst: 50)
        // A slider that is moved.
        case .emulation: Rate(perSecond: 10, burst: 50)
        // Four times a second, and once more for each thing that was to be done.
        case .networkTest: Rate(perSecond: 20, burst: 100)
        // Who changes their mind, and a page that tries again.
        case .rating: Rate(perSecond: 0.5, burst: 10)
        }
    }

    /// A sustained rate a second, and the most at once.
    struct Rate: Sendable, Equatable {
        var perSecond: Double
        var burst: Double
    }
}

/// How much of what is allowed a client has used: a bucket for each thing, filled at a steady rate.
///
/// Pure. Bounded: full buckets are forgotten, and a bucket is not full only for as long as its burst takes to refill.
struct TokenBuckets: Sendable {
    private struct Key: Hashable {
        var request: LimitedRequest
        var subject: UInt64
    }

    /// Buckets beyond which it is looked for full ones.
    private static let sweepSize = 16

    /// When each bucket is full again.
    private var full: [Key: Duration] = [:]
    private var sweepAt = Self.sweepSize

    /// Buckets that are remembered.
    var count: Int { full.count }

    /// Whether something may be done `cost` times now.
    func allows(_ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, at now: Duration) -> Bool {
        filled(request, subject, cost, now) - now <= .seconds(request.rate.burst / request.rate.perSecond)
    }

    /// Counts something that is done `cost` times, if that is allowed.
    mutating func take(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, at now: Duration
    ) -> Bool {
        guard allows(request, of: subject, cost: cost, at: now) else { return false }
        full[Key(request: request, subject: subject)] = filled(request, subject, cost, now)
        sweep(now)
        return true
    }

    /// Counts something that is done `cost` times once it is allowed: whoever asks later has a later turn.
    ///
    /// - Returns: After what time that is; `nil` if that is later than `limit`, and nothing is counted.
    mutating func turn(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, within limit: Duration,
        at now: Duration
    ) -> Duration? {
        let end = filled(request, subject, cost, now)
        let delay = max(.zero, end - now - .seconds(request.rate.burst / request.rate.perSecond))
        guard delay <= limit else { return nil }
        full[Key(request: request, subject: subject)] = end
        sweep(now)
        return delay
    }

    /// When a bucket would be full again after something was done `cost` times.
    private func filled(
        _ request: LimitedRequest, _ subject: UInt64, _ cost: Int, _ now: Duration
    ) -> Duration {
        let start = max(full[Key(request: request, subject: subject)] ?? now, now)
        return start + .seconds(Double(cost) / request.rate.perSecond)
    }

    private mutating func sweep(_ now: Duration) {
        guard full.count > sweepAt else { return }
        full = full.filter { $0.value > now }
        sweepAt = max(Self.sweepSize, full.count * 2)
    }
}
