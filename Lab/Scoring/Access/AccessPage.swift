// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// The page that says how right the product is over access lines.
package struct AccessPage: Sendable {
    private let results: AccessResults
    /// The calls in which something may go wrong.
    private let matrix: AccessResults
    /// Those over lines that are imperfect but fine, hours of which would hide in totals what is wrong elsewhere.
    private let fine: AccessResults

    package init(_ results: AccessResults) {
        self.results = results
        matrix = results.only { !$0.isFine }
        fine = results.only(\.isFine)
    }

    package var text: String {
        [
            Self.introduction, circumstances, totals, fineLines, kinds, profiles, mistakes, Self.definitions,
        ].filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # Calls over access lines

        Written by `make lab`, or in parts by `make lab-access`. The product's own programs call each other as a user has them, live, each in a network \
        namespace behind an emulated access line that carries everything: media, signalling, telemetry. What is right in \
        each second is what the emulator did to the packets of that second. Nothing that the product says or does \
        takes part in it, and no time is given to notice a change but in settled seconds.
        """

    private var circumstances: String {
        let rows = results.rows.map(\.circumstances), loads = rows.compactMap(\.load)
        let together = rows.compactMap(\.jobs).max().map { "up to \($0)" } ?? "one"
        let lengths = Set(results.rows.map { "\($0.setup.seconds) s" }).sorted().joined(separator: ", ")
        let late = rows.reduce(into: (0, 0)) {
            $0.0 += $1.punctuality.late
            $0.1 += $1.punctuality.packets
        }
        let demand = results.demands.sorted { $0.key.text < $1.key.text }.map { kind, demand in
            let rates = [demand.uplink, demand.downlink].map { $0.map { "\(Int($0))" } ?? "–" }
            return "\(kind.text): \(rates[0]) kbit/s up, \(rates[1]) down"
        }
        let lines = [
            "Commit \(Set(rows.map(\.commit)).sorted().joined(separator: ", ")), "
                + "\(Set(rows.map(\.build)).sorted().joined(separator: " and ")) build.",
            "\(rows.count) calls of \(lengths), \(together) at a time; the first \(AccessScorer.warmUp) s of each do not count.",
            "The machine's load was \(loads.min().map(Words.rounded) ?? "–") to \(loads.max().map(Words.rounded) ?? "–").",
            "Calls that do not count because the emulator was late: \(results.rejected.count). "
                + "Of the others' \(late.1) packets \(late.0) were more than 20 ms late.",
            "What the call sends on lines that lack nothing: \(demand.joined(separator: "; ")).",
        ]
        return lines.map { "- \($0)" }.joined(separator: "\n")
    }

    private var totals: String {
        let clean = matrix.total(where: \.isClean)
        return """
            ## Totals

            *Silent* is an observer that always says that nothing is wrong.

            \(AccessTotals(matrix).text)

            On the \(matrix.rows.filter(\.isClean).count) calls in which nothing was clearly wrong on either line: \
            \(Self.alarms(clean)) false alarms per hour at an end, cause right in \(clean.product.cause.text).
            """
    }

    /// What is named on lines that are imperfect but fine.
    private var fineLines: String {
        let names = AccessProfile.fine.map(\.name).filter { name in
            fine.rows.contains { $0.setup.profile == name }
        }
        guard !names.isEmpty else { return "" }
        let rows =
            names.map { name in fineRow(name) { $0.setup.profile == name } } + [fineRow("all") { _ in true }]
        let table = """
            ## Imperfect but fine

            Lines on which no one notices anything, though they are not perfect, by profile: nothing should be named on \
            them. The goal is at most 1 false alarm in 3 call-hours. They take no part in the other tables. *Sent* is as in \
            the table of calls, the least of the calls whose publisher has such a line.

            | profile | calls | call-hours | cause right | false alarms per hour: publisher | subscriber | at any end | begun to be named where it may be | sent |
            |---|---:|---:|---|---|---|---|---:|---|
            \(rows.joined(separator: "\n"))
            """
        let mistakes = Self.table("Wrong seconds on lines that are imperfect but fine", fine.total().mistakes)
        return mistakes.isEmpty ? table : table + "\n\n" + mistakes
    }

    private func fineRow(_ name: String, where isMeant: (AccessResults.Row) -> Bool) -> String {
        let calls = fine.only(isMeant), total = calls.total()
        let publisher = calls.total([.publisher]), subscriber = calls.total([.subscriber])
        // Each call has one publisher.
        let seconds = publisher.product.cause.seconds
        let sent = calls.rows.filter { $0.setup.impaired == .publisher }.compactMap(\.sent).min()
        let cells = [
            name, "\(calls.rows.count)", Words.rounded(Double(seconds) / 3_600), total.product.cause.text,
            Self.alarms(publisher), Self.alarms(subscriber), Self.alarms(total.falseAlarms, in: seconds),
            "\(total.borderlineAlarms)", Self.sent(sent),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// By client and setting.
    private var kinds: String {
        let kinds = Set(matrix.rows.map(\.setup.kind)).sorted { $0.text < $1.text }
        let rows = kinds.flatMap { kind in
            let calls = matrix.rows.filter { $0.setup.kind == kind }.count
            return kind.ends.map { end in
                let total = matrix.total([end]) { $0.setup.kind == kind }
                return
                    "| \(kind.text) | \(calls) | \(end.rawValue) | \(Self.cells(total)) | \(Self.alarms(total)) |"
            }
        }
        return """
            ## Clients and settings

            What the settings are: *senderStats*: the publisher's figures are shared with subscribers; *large*: 1280x720; *muted*: the \
            publisher only listens, with a muted microphone; *dtx*: it only listens, in a quiet room, with discontinuous \
            transmission; *twoSubscribers*: there is a bystander, who receives the same over a line that lacks nothing. A \
            browser's page shares the publisher's figures always.

            | client, setting | calls | given to | cause right | silent | while wrong | seconds wrong | side right | no judgement | detect: median, 95 % | false alarms per hour |
            |---|---:|---|---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private var profiles: String {
        let rows = matrix.rows.flatMap { row in
            row.setup.kind.ends.map { end in
                let kind = row.setup.kind.text
                return
                    "| \(row.setup.profile), \(row.setup.impaired.rawValue)'s | \(kind) | \(end.rawValue) "
                    + "| \(Self.cells(row[end])) | \(Self.sent(row.sent)) | \(row.circumstances.load.map(Words.rounded) ?? "–") |"
            }
        }
        return """
            ## Calls

            Each call by what each participant was given. *Sent* is what the \
            publisher's line was offered, as a share of what the call sends on lines that lack nothing: where it is low and the \
            line carries more, congestion control has been mistaken: `jitter`.

            | profile, and whose line | client, setting | given to | cause right | silent | while wrong | seconds wrong | side right | no judgement | detect: median, 95 % | sent | load |
            |---|---|---|---|---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private var mistakes: String {
        let parts = AccessCall.End.allCases.flatMap { end in
            let total = matrix.total([end])
            return [
                Self.table("Wrong seconds at the \(end.rawValue)", total.mistakes),
                Self.table("Wrong places at the \(end.rawValue) with the right cause", total.sideMistakes),
            ]
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func table(_ title: String, _ mistakes: [AccessScore.Mistake: Int]) -> String {
        guard !mistakes.isEmpty else { return "" }
        let rows = mistakes.sorted {
            ($1.value, $0.key.truth, $0.key.said) < ($0.value, $1.key.truth, $1.key.said)
        }
        let lines = rows.map { "| \($0.key.truth) | \($0.key.said) | \($0.value) |" }
        return "## \(title)\n\n| right | said | seconds |\n|---|---|---:|\n" + lines.joined(separator: "\n")
    }

    private static func cells(_ score: AccessScore) -> String {
        [
            score.product.cause.text, score.silent.cause.text, score.product.faultCause.text,
            "\(score.product.faultCause.seconds) of \(score.product.cause.seconds)", score.product.side.text,
            score.unknown.text, detection(score.detections),
        ].joined(separator: " | ")
    }

    /// A percentile of the times to detect, or median and 95th percentile, and of how many faults.
    static func detection(_ times: [Double?], percent: Int? = nil) -> String {
        guard !times.isEmpty else { return "–" }
        let figures = (percent.map { [$0] } ?? [50, 95]).map { Words.seconds(times, percent: $0) }
        return "\(figures.joined(separator: ", ")) (\(times.count); \(times.filter { $0 == nil }.count))"
    }

    /// The median time to clear, and of how many faults.
    static func clearing(_ score: AccessScore) -> String {
        let faults = score.clears.count + score.unseenClears
        guard faults > 0 else { return "–" }
        let never = score.clears.filter { $0 == nil }.count
        return "\(Words.seconds(score.clears)) (\(faults); \(never); \(score.unseenClears))"
    }

    static func alarms(_ score: AccessScore) -> String { alarms(score.falseAlarms, in: score.wellSeconds) }

    private static func alarms(_ count: Int, in seconds: Int) -> String {
        guard seconds > 0 else { return "–" }
        return "\(Words.rounded(Double(count) * 3_600 / Double(seconds))) (\(count) in \(seconds) s)"
    }

    private static func sent(_ share: Double?) -> String {
        share.map { Words.share(Int($0 * 1_000), 1_000) } ?? "–"
    }

    private static let definitions = """
        ## What the words mean

        What is wrong on a direction of a line in a second. Between the two thresholds both answers are right; beyond the \
        second one something must be named. Where several causes hold, any of them is right.

        | cause | from | must be named from | why |
        |---|---|---|---|
        | packetLoss | \(percent(AccessTruth.loss.borderline)) of UDP packets over three seconds, by chance or by a full queue | \(percent(AccessTruth.loss.clear)), and more than one packet | ITU-T G.1010 asks for less than 1 % for video telephony and less than 3 % for speech. |
        | bandwidth | \(Int(AccessTruth.queue.borderline)) ms mean wait in the queue, 1 % dropped by it, more offered than it carries, or 85 % of the capacity below what the call sends on a line that lacks nothing | \(Int(AccessTruth.queue.clear)) ms, 3 %, or the whole capacity below it; other traffic's share is taken off | ITU-T Y.1541 bounds delay variation at 50 ms; 100 ms are two thirds of what G.114 leaves for the whole path. Congestion control takes 85 % of a capacity that it has found (draft-ietf-rmcat-gcc, 5.5). |
        | latency | \(Int(AccessTruth.roundTrip.borderline)) ms of round trip over one line | \(Int(AccessTruth.roundTrip.clear)) ms | ITU-T G.114 prefers 150 ms one-way for the whole path; the E-model (G.107) falls from there on. Two lines share it, or one takes it all. |
        | jitter | \(Int(AccessTruth.spread.borderline)) ms from the 5th to the 95th percentile of the second's delays | \(Int(AccessTruth.spread.clear)) ms | ITU-T Y.1541 bounds delay variation at 50 ms; what exceeds 100 ms is beyond the buffers that receivers start with. |
        | jitter | less than \(percent(AccessTruth.heldBack.borderline)) of what the call sends on a line that lacks nothing, for five seconds, over a spread of \(Int(AccessTruth.noticedSpread)) ms or more | less than \(percent(AccessTruth.heldBack.clear)), and for \(AccessTruth.climb) s nothing was lost, queued or silent, and the capacity was there | Delay-based congestion control takes the variation of the delay for a queue (draft-ietf-rmcat-gcc, 5.4). |
        | connection | \(Int(AccessTruth.gap.borderline)) ms without a delivery while something waits | \(Int(AccessTruth.gap.clear)) ms | Concealment hides gaps of some ten ms; a second of silence takes words away. |

        - Media take the publisher's uplink and the subscriber's downlink. Of the other two directions only latency and \
        connection must be named; the rest may be.
        - A publisher is asked about the own line. A subscriber is asked about the own line (`local`) and about what the \
        publisher's does to the media (`remote`); the delay of the publisher's line may be named or not.
        - For \(AccessTruth.climb) s after clear loss, queues or silence, as long as less than \(percent(AccessTruth.heldBack.borderline)) of it is sent, that cause may still be named, or not: \
        congestion control climbs back from it.
        - `recovering` is right where `none` is, within \(AccessTruth.recovery) s after a fault.
        - A second's answer is the newest diagnosis at its end, if it is no older than the interval of reports and \(AccessScorer.slack) s; otherwise \
        it has none, which is wrong.
        - Settled seconds are those in which the truth has been as it is for \(Int(Settling.usual)) s, \
        \(Int(Settling.bandwidth)) s with bandwidth: the grace of the older lab.
        - A fault is clear seconds no more than \(AccessScorer.merging) s apart. It is detected with the first right cause. One that is \
        never found counts as longer than any time: where more than one in twenty are, the 95th percentile is never.
        - It is cleared with `none` or `recovering`, counted from the first second that does not allow what was named any more: for \
        a while after a fault its cause may still be named. If from there less than \(AccessScorer.clearing) s are left to the next fault or the end \
        of the call, or if there is no such second, clearing is unseen, which is counted apart and is no part of the median.
        - A false alarm is a cause that begins in a second in which nothing is wrong, not even borderline. A call-hour is one of \
        a whole call, with all its ends.
        - Seconds in which a client is short of processor time are no fault of a line: whoever says `cpu` is wrong here.
        """

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
