// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// What an app's own calls did on emulated lines, as a page in Markdown.
package struct AppReport: Sendable {
    private let calls: [AppCall]
    private let demands: [String: AccessTruth.Demand]
    /// Seconds from the start of the programs to the first that counts: apps take their time to join.
    private let warmUp: Int

    /// - Parameters:
    ///   - calls: One over fibre among them, which says what the call sends where nothing is short.
    ///   - warmUp: Seconds of each that do not count.
    package init(_ calls: [AppCall], warmUp: Int = AccessScorer.warmUp) {
        self.calls = calls
        self.warmUp = warmUp
        demands = Self.demands(calls)
    }

    package var text: String {
        ([Self.introduction, overview] + calls.map(section)).joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # Your app's call on emulated lines

        Written by `sightline-lab app`. Two participants call each other by your app. The first one's line is the profile's, \
        which carries everything: media, signalling, what else the app loads; the other one's is fibre. What they saw is what \
        their peer connections reported; what was wrong is what the emulator did to the packets of each second, by the \
        thresholds of `Lab/ACCESS.md`, of which your app and Sightline know nothing.
        """

    // MARK: - All calls

    private var overview: String {
        let rows = calls.flatMap { call in
            call.streams.map { stream in
                let seen = AppExperience(call.received(stream), warmUp: warmUp)
                return "| \(call.profile) | \(stream.sender) → \(stream.receiver) | "
                    + (Self.cells(seen) + judgement(call, stream)).joined(separator: " | ") + " |"
            }
        }
        return """
            | line | stream | video kbit/s: median (lowest tenth) | size | frames/s | freezes | audio concealed | audio MOS | seconds disturbing or worse | something wrong | cause right | while wrong |
            |---|---|---|---|---:|---|---:|---:|---:|---:|---:|---:|
            \(rows.joined(separator: "\n"))

            *Something wrong*: seconds in which a line did something to this stream that must be named. *Cause right*: seconds \
            in which Sightline's diagnosis at the receiver was right, of all and of those.
            """
    }

    private static func cells(_ seen: AppExperience) -> [String] {
        let disturbing = seen.severities.filter { $0.key >= .disturbing }.values.reduce(0, +)
        return [
            seen.bitrate.map { "\(Int($0.median)) (\(Int($0.low)))" } ?? "–",
            seen.height.map { "\($0)p" } ?? "–",
            seen.frameRate.map(Words.rounded) ?? "–",
            seen.freezes.map { "\($0.count), \(Words.rounded($0.seconds)) s" } ?? "–",
            seen.concealment.map { Words.share(Int($0 * 10_000), 10_000) } ?? "–",
            seen.audioScore.map(Words.rounded) ?? "–",
            seen.samples.isEmpty ? "–" : "\(disturbing) of \(seen.samples.count)",
        ]
    }

    private func judgement(_ call: AppCall, _ stream: AppCall.Stream) -> [String] {
        let score = AccessScorer(call.accessCall(stream), truth(call, stream), end: .subscriber).score
        let product = score.product
        return [
            "\(product.faultCause.seconds) of \(product.cause.seconds)", product.cause.text,
            product.faultCause.text,
        ]
    }

    // MARK: - One call

    private func section(_ call: AppCall) -> String {
        let title = AccessProfile.named(call.profile).map { "\(call.profile): \($0.summary)" } ?? call.profile
        var parts = ["## \(title)", lines(call)]
        for stream in call.streams {
            let incidents = incidents(call, stream)
            let seen = AppExperience(call.received(stream), warmUp: warmUp)
            parts.append("### \(stream.sender) → \(stream.receiver)")
            parts.append(Self.named(seen))
            parts.append(
                incidents.isEmpty
                    ? "Nothing was done to this stream that must be named."
                    : "| seconds | what the line did | what was named |\n|---|---|---|\n"
                        + incidents.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    private static func named(_ seen: AppExperience) -> String {
        let causes = seen.causes.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        guard !causes.isEmpty else { return "Nothing was reported of it." }
        return "Named at the receiver: "
            + causes.map { "\($0.key.rawValue) \($0.value) s" }.joined(separator: ", ")
            + "."
    }

    /// What the first participant's line did to what it carried.
    private func lines(_ call: AppCall) -> String {
        let rows = [NetworkDirection.uplink, .downlink].map { direction in
            let lines = seconds(call, call.participants.first ?? "", direction).dropFirst(warmUp)
            let offered = lines.reduce(0) { $0 + $1.udp.offered },
                dropped = lines.reduce(0) { $0 + $1.udp.dropped }
            let capacities = lines.compactMap(\.capacity)
            let cells = [
                direction.rawValue,
                capacities.min().map { "\(Int($0)) to \(Int(capacities.max() ?? $0))" } ?? "–",
                "\(Int(Self.mean(lines.map(\.offeredRate)))), \(Int(Self.mean(lines.map(\.otherRate))))",
                "\(Int(lines.map(\.queue.maximum).max() ?? 0)) ms", Words.share(dropped, offered),
                "\(Int(lines.map(\.gap).max() ?? 0)) ms",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            | \(call.participants.first ?? "")'s line | capacity, kbit/s | carried of media and of all else, kbit/s | longest queue | media dropped | longest silence |
            |---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    /// The spans in which something was wrong, with what was named in them.
    private func incidents(_ call: AppCall, _ stream: AppCall.Stream) -> [String] {
        let truth = truth(call, stream), said = call.accessCall(stream).said.filter { $0.end == .subscriber }
        var spans: [ClosedRange<Int>] = []
        for second in truth.faults.indices.dropFirst(warmUp)
        where truth.answer(second, to: .subscriber).isFault {
            if let last = spans.last, second - last.upperBound <= AccessScorer.merging {
                spans[spans.count - 1] = last.lowerBound...second
            } else {
                spans.append(second...second)
            }
        }
        return spans.map { span in
            let causes = Set(span.flatMap { truth.answer($0, to: .subscriber).causes }).subtracting([.none])
            let named = said.filter { span.contains(Int($0.time)) }
            let first = named.first { causes.contains($0.diagnosis.cause) }
            let delay =
                first.map { "after \(Words.rounded($0.time - Double(span.lowerBound))) s" } ?? "none of these"
            let words = Dictionary(grouping: named) { $0.diagnosis.cause.rawValue }
                .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
                .map { "\($0.key) \($0.value.count)" }
            return
                "| \(span.lowerBound) to \(span.upperBound + 1) | \(causes.map(\.rawValue).sorted().joined(separator: ", ")) "
                + "| \(delay); \(words.isEmpty ? "nothing was reported" : words.joined(separator: ", ")) |"
        }
    }

    // MARK: - What is true

    private func truth(_ call: AppCall, _ stream: AppCall.Stream) -> AccessTruth {
        AccessTruth(call.accessCall(stream).lines, demand: demands[stream.sender] ?? .init())
    }

    /// From the second half of the call over fibre, by sender.
    private static func demands(_ calls: [AppCall]) -> [String: AccessTruth.Demand] {
        guard let call = calls.first(where: { $0.profile == AccessProfile.fibre.name }) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: call.streams.map { stream in
                func rate(_ participant: String, _ direction: NetworkDirection) -> Double? {
                    let rates = call.lines.filter {
                        $0.participant == participant && $0.direction == direction
                    }
                    .map(\.line.offeredRate).dropFirst(call.seconds / 2)
                    return rates.isEmpty ? nil : mean(Array(rates))
                }
                return (
                    stream.sender,
                    .init(uplink: rate(stream.sender, .uplink), downlink: rate(stream.receiver, .downlink))
                )
            })
    }

    private func seconds(_ call: AppCall, _ participant: String, _ direction: NetworkDirection)
        -> [LineSecond]
    {
        call.lines.filter { $0.participant == participant && $0.direction == direction }.map(\.line)
    }

    private static func mean(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }
}
