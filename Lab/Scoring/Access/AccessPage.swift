// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// The page that says how right the product is over access lines.
package struct AccessPage: Sendable {
    private let results: AccessResults

    package init(_ results: AccessResults) { self.results = results }

    package var text: String {
        [
            Self.introduction, circumstances, totals, kinds, profiles, mistakes, Self.definitions,
        ].filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # Calls over access lines

        Written by `make lab-access`. The product's own programs call each other as a user has them, live, each in a network \
        namespace behind an emulated access line that carries everything: media, signalling, telemetry. What is right in \
        each second is what the emulator did to the packets of that second. Nothing that the product says or does \
        takes part in it, and no time is given to notice a change.
        """

    private var circumstances: String {
        let rows = results.rows.map(\.circumstances), loads = rows.compactMap(\.load)
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
            "\(rows.count) calls of \(lengths), one at a time; the first \(AccessScorer.warmUp) s of each do not count.",
            "The machine's load was \(loads.min().map(Words.rounded) ?? "–") to \(loads.max().map(Words.rounded) ?? "–").",
            "Calls that do not count because the emulator was late: \(results.rejected.count). "
                + "Of the others' \(late.1) packets \(late.0) were more than 20 ms late.",
            "What the call sends on lines that lack nothing: \(demand.joined(separator: "; ")).",
        ]
        return lines.map { "- \($0)" }.joined(separator: "\n")
    }

    private var totals: String {
        let ends = AccessCall.End.allCases.filter { end in results.rows.contains { $0.scores[end] != nil } }
        let columns = ends.map { results.total([$0]) } + [results.total()]
        func row(
            _ name: String, _ goal: String, silent: KeyPath<AccessScore.Figures, AccessScore.Share>? = nil,
            _ text: (AccessScore) -> String
        ) -> String {
            let baseline = silent.map { columns[ends.count].silent[keyPath: $0].text } ?? ""
            return "| \(name) | \(goal) | \(columns.map(text).joined(separator: " | ")) | \(baseline) |"
        }
        func share(_ name: String, _ goal: String, _ path: KeyPath<AccessScore.Figures, AccessScore.Share>)
            -> String
        {
            row(name, goal, silent: path) { $0.product[keyPath: path].text }
        }
        let clean = results.total(where: \.isClean)
        return """
            ## Totals

            *Silent* is an observer that always says that nothing is wrong.

            | | goal | \(ends.map(\.rawValue).joined(separator: " | ")) | all | silent |
            |---|---|\(String(repeating: "---|", count: ends.count))---|---|
            \(share("cause right", "≥ 95 %", \.cause))
            \(share("side right (publisher: direction)", "≥ 95 %", \.side))
            \(share("cause right while something is wrong", "≥ 90 %", \.faultCause))
            \(share("side right while something is wrong", "≥ 90 %", \.faultSide))
            \(share("cause right, with the older lab's grace", "", \.settledCause))
            \(share("the same while something is wrong", "", \.settledFaultCause))
            \(row("share of seconds that this grace leaves", "") { Words.share($0.product.settledCause.seconds, $0.product.cause.seconds) })
            \(row("seconds; something is wrong in", "") { "\($0.product.cause.seconds); \($0.product.faultCause.seconds)" })
            \(row("seconds without a judgement", "≤ 1 %") { $0.unknown.text })
            \(row("median time to detect (faults; never found)", "≤ 3 s") { Self.times($0.detections) })
            \(row("median time to clear (faults; never)", "≤ 8 s") { Self.times($0.clears) })
            \(row("false alarms per hour in which nothing is wrong", "≤ 1") { Self.alarms($0) })
            \(row("right seconds: of several causes; where either is right; recovering", "") { "\($0.severalRight); \($0.borderlineRight); \($0.recoveringRight)" })

            On the \(results.rows.filter(\.isClean).count) calls in which nothing was clearly wrong on either line: \
            \(Self.alarms(clean)) false alarms per hour at an end, cause right in \(clean.product.cause.text).
            """
    }

    /// By client and setting.
    private var kinds: String {
        let kinds = Set(results.rows.map(\.setup.kind)).sorted { $0.text < $1.text }
        let rows = kinds.flatMap { kind in
            let calls = results.rows.filter { $0.setup.kind == kind }.count
            return kind.ends.map { end in
                let total = results.total([end]) { $0.setup.kind == kind }
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

            | client, setting | calls | given to | cause right | silent | while wrong | seconds wrong | side right | no judgement | detect | false alarms per hour |
            |---|---:|---|---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private var profiles: String {
        let rows = results.rows.flatMap { row in
            row.setup.kind.ends.map { end in
                let kind = row.setup.kind.text
                return
                    "| \(row.setup.profile), \(row.setup.impaired.rawValue)'s | \(kind) | \(end.rawValue) "
                    + "| \(Self.cells(row[end])) | \(row.sent.map { Words.share(Int($0 * 1_000), 1_000) } ?? "–") | \(row.circumstances.load.map(Words.rounded) ?? "–") |"
            }
        }
        return """
            ## Calls

            Each call by what each participant was given. *Sent* is what the \
            publisher's line was offered, as a share of what the call sends on lines that lack nothing: where it is low and the \
            line carries more, congestion control has been mistaken: `jitter`.

            | profile, and whose line | client, setting | given to | cause right | silent | while wrong | seconds wrong | side right | no judgement | detect | sent | load |
            |---|---|---|---|---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private var mistakes: String {
        let parts = AccessCall.End.allCases.flatMap { end in
            let total = results.total([end])
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
            score.unknown.text, times(score.detections),
        ].joined(separator: " | ")
    }

    private static func times(_ times: [Double?]) -> String {
        times.isEmpty ? "–" : "\(Words.seconds(times)) (\(times.count); \(times.filter { $0 == nil }.count))"
    }

    private static func alarms(_ score: AccessScore) -> String {
        guard score.wellSeconds > 0 else { return "–" }
        let rate = Double(score.falseAlarms) * 3_600 / Double(score.wellSeconds)
        return "\(Words.rounded(rate)) (\(score.falseAlarms) in \(score.wellSeconds) s)"
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
        - The older lab's grace: seconds count only if the truth has been as it is for \(Int(Settling.usual)) s, \
        \(Int(Settling.bandwidth)) s with bandwidth.
        - A fault is clear seconds no more than \(AccessScorer.merging) s apart. It is detected with the first right cause, \
        and over with `none` or `recovering`.
        - A false alarm is a cause that begins in a second in which nothing is wrong, not even borderline.
        - Seconds in which a client is short of processor time are no fault of a line: whoever says `cpu` is wrong here.
        """

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
