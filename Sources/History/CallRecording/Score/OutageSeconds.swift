// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What one report says, and of how much time.
struct JudgedTime: Sendable {
    var second: JudgedSecond
    /// When it began and ended, in Unix ms.
    var from: Double
    var to: Double

    var seconds: Double { (to - from) / 1000 }
}

/// Gives an outage the seconds that belong to it.
///
/// It is known by its silence, so later than it began, and the report in which it ends is about what came after it as well.
struct OutageSeconds: Sendable {
    private let least: Double
    /// Reports about nothing, of which it is not known yet whether an outage follows.
    private var silent: [JudgedTime] = []
    private var isOut = false
    /// What comes otherwise, in bps.
    private var usual = (audio: 0.0, video: 0.0)

    /// What is left of the usual bitrates after a report.
    private static let fading = 0.9

    /// - Parameter least: How long nothing has come before that is known to be an outage, in seconds.
    init(least: Double) { self.least = least }

    /// Takes a report; returns what is known of it and of those before it.
    mutating func handle(_ judged: JudgedTime, _ sample: StreamSample) -> [JudgedTime] {
        if judged.second.cause == .connection {
            isOut = true
            defer { silent = [] }
            let before = silent.map {
                JudgedTime(second: $0.second.out, from: $0.from, to: $0.to)
            }
            return before + [judged]
        }
        if Self.isSilent(sample), !isOut {
            silent.append(judged)
            return releaseOld()
        }
        defer { note(sample) }
        guard isOut else { return settle() + [judged] }
        isOut = false
        return split(judged, sample)
    }

    /// What has waited, as it was judged.
    mutating func settle() -> [JudgedTime] {
        defer { silent = [] }
        return silent
    }

    /// The oldest of those that wait, as long as the others are about as much time as an outage takes.
    private mutating func releaseOld() -> [JudgedTime] {
        var old: [JudgedTime] = []
        while let first = silent.first,
            silent.reduce(0, { $0 + $1.seconds }) - first.seconds >= least
        {
            old.append(silent.removeFirst())
        }
        return old
    }

    /// The report in which an outage ended: as much of it as less came than usual is the outage's.
    private func split(_ judged: JudgedTime, _ sample: StreamSample) -> [JudgedTime] {
        let shares = [
            Self.share(of: sample.audio?.bitrate, usual.audio),
            Self.share(of: sample.video?.bitrate, usual.video),
        ].compactMap(\.self)
        guard let come = shares.max(), come < 1 else { return [judged] }
        let back = judged.to - (judged.to - judged.from) * come
        return [
            JudgedTime(second: judged.second.out, from: judged.from, to: back),
            JudgedTime(second: judged.second, from: back, to: judged.to),
        ]
    }

    private static func share(of bitrate: Double?, _ usual: Double) -> Double? {
        guard usual > 0 else { return nil }
        return bitrate.map { max(0, $0) / usual }
    }

    private mutating func note(_ sample: StreamSample) {
        usual.audio = max(sample.audio?.bitrate ?? 0, usual.audio * Self.fading)
        usual.video = max(sample.video?.bitrate ?? 0, usual.video * Self.fading)
    }

    /// Whether nothing came of all that there is; what no one measured may have.
    private static func isSilent(_ sample: StreamSample) -> Bool {
        let media = [sample.audio, sample.video].compactMap(\.self)
        return !media.isEmpty && media.allSatisfy { $0.bitrate == 0 }
    }
}
