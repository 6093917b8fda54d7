// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Follows audio that is missing again and again though it comes in time and none of it is lost on the way: its sender
/// has not sent it, or it was lost before a server that leaves no gaps in the numbers of packets.
struct AudioGaps: Sendable {
    private var concealed = RecentShare()
    private var gaps: [Double] = []
    /// A gap after which audio has not come back yet, with the sum of the shares that have come since: it may have been
    /// muted, or may be late.
    private var open: (begin: Double, arrived: Double, ticks: Double)?
    /// Share of the audio of late that was missing, while gaps come again and again; else `nil`.
    private(set) var share: Double?

    /// Time in which gaps come again and again, in seconds, and reports at least.
    private static let window = 15.0
    private static let reports = 3.0
    private static let several = 2
    /// Share of the usual number of packets that a tick with a gap lacks some of, and one in which audio is back has.
    private static let short = 0.92
    private static let back = 0.5
    /// Milliseconds after which audio that comes back was muted or off meanwhile.
    private static let comeback = 4000.0

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - concealment: Share of the tick's audio that was audibly concealed; `nil` if unknown.
    ///   - isGap: Whether that is worth a word, and not for packets that came late.
    ///   - isExplained: Whether the path loses packets.
    ///   - arrived: Share of the usual number of packets that came; `nil` if unknown.
    mutating func handle(
        _ concealment: Double?, isGap: Bool, isExplained: Bool, arrived: Double?, at tick: Tick
    ) {
        let window = max(Self.window, Self.reports * (tick.interval ?? 0))
        concealed.handle(
            concealment.flatMap { share in tick.interval.map { share * $0 } }, of: tick.interval,
            at: tick.time, window: window)
        gaps.removeAll { $0 <= tick.time - window * 1000 }
        if isExplained { (gaps, open) = ([], nil) }
        noteReturn(arrived, at: tick)
        if isGap, !isExplained, open == nil, let arrived, arrived < Self.short {
            open = (tick.time, arrived, 1)
        }
        share = gaps.count >= Self.several ? concealed.value : nil
    }

    /// Notes that audio is back: what was late comes in a heap, and none of it was missing.
    private mutating func noteReturn(_ arrived: Double?, at tick: Tick) {
        guard var gap = open, let arrived else { return }
        gap.arrived += arrived
        gap.ticks += 1
        open = gap
        guard arrived >= Self.back else { return }
        open = nil
        let longest = max(Self.comeback, 1500 * (tick.interval ?? 0))
        if tick.time - gap.begin <= longest, gap.arrived < Self.short * gap.ticks { gaps.append(gap.begin) }
    }
}
