// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// What calls were like since the server began, for those who watch all of them.
struct CallFigures: Sendable {
    /// Whose view of what.
    struct View: Hashable, Sendable, Comparable {
        var observer: String
        /// `publisher`, `subscriber` or `unknown`.
        var role: String

        static func < (left: Self, right: Self) -> Bool {
            (left.observer, left.role) < (right.observer, right.role)
        }
    }

    /// An impairment by its cause, the side that it is on, and how bad it is.
    struct Impairment: Hashable, Sendable {
        var view: View
        var cause: String
        var side: String
        var severity: String
    }

    /// The outcome of a call: from the first to come until the last has left.
    enum Outcome: String, Sendable, CaseIterable {
        /// Less than 5 % of its time was disturbing or worse.
        case good
        /// 5 % or more was disturbing or worse.
        case impaired
        /// 10 % or more was bad or worse.
        case bad
        /// No one sent or received anything.
        case noMedia
    }

    /// A figure of which each sample is a value.
    enum Quality: Hashable, Sendable, CaseIterable {
        case roundTripTime, networkLoss, audioJitter, videoJitter, audioScore, videoScore
    }

    var quality: [Quality: [View: Histogram]] = [:]
    /// Time that was judged, seconds.
    var judged: [View: Double] = [:]
    /// Time that was impaired, seconds.
    var impaired: [Impairment: Double] = [:]
    /// Share of a subscription's time in which its video was frozen.
    var frozen = Histogram([0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5])
    /// From a publication's or subscription's answer to its first media, seconds; seen once a second.
    ///
    /// Empty from the start, as counters are zero: what a series begins with is no increase to Prometheus.
    var timeToMedia = Dictionary(
        uniqueKeysWithValues: StreamRole.allCases.map { ($0.name, Histogram([1, 2, 3, 5, 8, 13, 30])) })
    var outcomes: [Outcome: UInt64] = [:]
    /// Connections that ended, by reason.
    var departures: [EndReason: UInt64] = [:]

    mutating func add(_ value: Double?, to quality: Quality, _ view: View) {
        guard let value else { return }
        self.quality[quality, default: [:]][view, default: Histogram(quality.bounds)].add(value)
    }
}

extension CallFigures.Quality {
    var bounds: [Double] {
        switch self {
        case .roundTripTime: [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2]
        case .networkLoss: [0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5]
        case .audioJitter, .videoJitter: [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5]
        case .audioScore, .videoScore: [1.5, 2, 2.5, 3, 3.5, 4, 4.25, 4.5]
        }
    }
}
