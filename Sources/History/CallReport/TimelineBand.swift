// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The call as one image: a lane for each view, with what was wrong when.
struct TimelineBand: Sendable {
    let timeline: CallTimeline
    let names: ReportNames

    private static let width = 1000.0
    private static let lane = 50.0

    var html: HTML {
        guard let from = timeline.from, let to = timeline.to else { return "" }
        let height = Double(timeline.views.count) * Self.lane + 24
        let lanes: [HTML] = timeline.views.enumerated().map { index, view in
            let y = Double(index) * Self.lane
            return """
                <text class="label" x="0" y="\(at: y + 13)">\(names.title(view))</text>\
                <rect class="lane" x="0" y="\(at: y + 18)" width="\(at: Self.width)" height="24" rx="3"/>\
                \(view.intervals.map { draw($0, view.id, y + 18, from, to) })
                """
        }
        let ticks: [HTML] = TimeTicks.times(over: to - from, count: 10).map { time in
            let x = Self.x(from + time, from, to)
            let anchor = time == 0 ? "start" : x > Self.width - 20 ? "end" : "middle"
            return
                "<text class=\"tick\" x=\"\(at: x)\" y=\"\(at: height - 6)\" text-anchor=\"\(anchor)\">\(NumberFormat.clock(time))</text>"
        }
        return """
            <div class="scroll"><svg class="timeline" viewBox="0 0 \(at: Self.width) \(at: height)" role="img" \
            aria-label="What was wrong when; the table below has the same">\(lanes)\(ticks)</svg></div>

            """
    }

    private func draw(
        _ interval: DiagnosisInterval, _ view: CallView.ID, _ y: Double, _ from: Double, _ to: Double
    ) -> HTML {
        let (begin, end) = (Self.x(interval.from, from, to), Self.x(interval.to, from, to))
        let width = max(2, end - begin)
        let words = words(interval, view)
        let times = "\(NumberFormat.clock(interval.from - from)) – \(NumberFormat.clock(interval.to - from))"
        // About six units a letter.
        let fits = interval.isAlarm && width > Double(words.count) * 6.4 + 8
        let label: HTML =
            fits ? "<text class=\"inside\" x=\"\(at: begin + 5)\" y=\"\(at: y + 16)\">\(words)</text>" : ""
        return """
            <rect class="\(Self.kind(interval))" x="\(at: begin)" y="\(at: y)" width="\(at: width)" height="24">\
            <title>\(times): \(words)</title></rect>\(label)
            """
    }

    /// Class of an interval, for its style.
    private static func kind(_ interval: DiagnosisInterval) -> HTML {
        switch interval.cause {
        case .none: "fine"
        case .unknown: "unknown"
        case .recovering: "recovering"
        default: "s\(interval.severity?.rawValue ?? 1)"
        }
    }

    private func words(_ interval: DiagnosisInterval, _ view: CallView.ID) -> String {
        guard interval.isAlarm else { return interval.cause == .none ? "fine" : interval.cause.label }
        return "\(interval.cause.label), \(names.place(interval, view).name)"
    }

    private static func x(_ time: Double, _ from: Double, _ to: Double) -> Double {
        width * (time - from) / max(1, to - from)
    }
}
