// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Figures over time, drawn as SVG.
struct Chart: Sendable {
    /// One line of a chart; points that are `nil` are gaps.
    struct Line: Sendable {
        var name: String
        var points: [(time: Double, value: Double?)]
    }

    /// An interval with a problem, behind the lines.
    struct Band: Sendable {
        var from: Double
        var to: Double
        /// 1 to 4.
        var severity: Int
    }

    var title: String
    var unit: String
    var lines: [Line]
    var bands: [Band]
    /// Unix ms.
    var from: Double
    var to: Double
    /// Largest value that the axis must show; `nil` for what the lines have.
    var top: Double?
    /// Lines beyond it are cut off; `nil` for none.
    var ceiling: Double?

    private static let width = 440.0
    private static let height = 150.0
    private static let left = 40.0
    private static let right = 434.0
    private static let upper = 10.0
    private static let lower = 124.0
    /// Points that a line has at most; of more, each piece's least and greatest stay.
    private static let resolution = 600

    /// Whether there is anything to draw.
    var isEmpty: Bool { lines.allSatisfy { $0.points.allSatisfy { $0.value == nil } } }

    /// The chart with its title and legend.
    var html: HTML {
        let shown = lines.filter { line in line.points.contains { $0.value != nil } }
        let legend: [HTML] = shown.enumerated().map { index, line in
            "<span class=\"key\"><svg width=\"22\" height=\"8\" aria-hidden=\"true\"><line x1=\"0\" y1=\"4\" x2=\"22\" y2=\"4\" class=\"line l\(index % 4 + 1)\"/></svg>\(line.name)</span>"
        }
        let range = axis(shown)
        let name = "\(title), \(unit)"
        return """
            <figure class="chart"><figcaption><b>\(title)</b> <span class="unit">\(unit)</span>\(legend)</figcaption>\
            <svg viewBox="0 0 \(at: Self.width) \(at: Self.height)" role="img" aria-label="\(name)">\
            \(bands.map(draw))\(grid(range))\(times)\(shown.enumerated().map { draw($1, $0, range) })</svg></figure>

            """
    }

    // MARK: Axes

    private func axis(_ shown: [Line]) -> Double {
        let greatest = shown.flatMap { $0.points.compactMap(\.value) }.filter(\.isFinite).max() ?? 0
        let wanted = max(top ?? 0, min(greatest, ceiling ?? greatest))
        return Self.round(up: wanted > 0 ? wanted : 1)
    }

    /// The next of 1, 2, 2.5, 5 and 10 times a power of ten.
    static func round(up value: Double) -> Double {
        guard value.isFinite, value > 0 else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        return [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= value * 0.999_999 } ?? value
    }

    private func grid(_ range: Double) -> [HTML] {
        (0...2).map { step in
            let value = range * Double(step) / 2
            let y = y(value, range)
            let label = NumberFormat.plain(value, decimals: range < 1 ? 3 : range < 10 ? 2 : 0)
            return """
                <line class="grid" x1="\(at: Self.left)" x2="\(at: Self.right)" y1="\(at: y)" y2="\(at: y)"/>\
                <text class="tick" x="\(at: Self.left - 6)" y="\(at: y + 4)" text-anchor="end">\(label)</text>
                """
        }
    }

    private var times: [HTML] {
        TimeTicks.times(over: to - from, count: 5).map { time in
            let x = x(from + time)
            let anchor: HTML = x > Self.right - 12 ? "end" : "middle"
            return """
                <text class="tick" x="\(at: x)" y="\(at: Self.lower + 18)" text-anchor="\(anchor)">\
                \(NumberFormat.clock(time))</text>
                """
        }
    }

    private func x(_ time: Double) -> Double {
        Self.left + (Self.right - Self.left) * (time - from) / max(1, to - from)
    }

    private func y(_ value: Double, _ range: Double) -> Double {
        Self.lower - (Self.lower - Self.upper) * min(max(value / range, 0), 1.02)
    }

    // MARK: Marks

    private func draw(_ band: Band) -> HTML {
        let (begin, end) = (x(max(band.from, from)), x(min(band.to, to)))
        return """
            <rect class="band s\(min(max(band.severity, 1), 4))" x="\(at: begin)" y="\(at: Self.upper)" \
            width="\(at: max(1.5, end - begin))" height="\(at: Self.lower - Self.upper)"/>
            """
    }

    private func draw(_ line: Line, _ index: Int, _ range: Double) -> HTML {
        var path = ""
        var isDrawing = false
        for point in Self.thinned(line.points) {
            guard let value = point.value, value.isFinite else {
                isDrawing = false
                continue
            }
            path +=
                (isDrawing ? "L" : "M") + NumberFormat.plain(x(point.time)) + " "
                + NumberFormat.plain(y(value, range))
            // A point between two gaps is a dot.
            if !isDrawing { path += "h.1" }
            isDrawing = true
        }
        return "<path class=\"line l\(index % 4 + 1)\" d=\"\(path)\"/>"
    }

    /// Of many points the least and the greatest of each piece, which is what is seen.
    private static func thinned(_ points: [(time: Double, value: Double?)]) -> [(
        time: Double, value: Double?
    )] {
        guard points.count > resolution * 2 else { return points }
        let size = (points.count + resolution - 1) / resolution
        return stride(from: 0, to: points.count, by: size).flatMap { start in
            let piece = points[start..<min(start + size, points.count)]
            let known = piece.filter { $0.value?.isFinite == true }
            guard let least = known.min(by: { $0.value ?? 0 < $1.value ?? 0 }),
                let greatest = known.max(by: { $0.value ?? 0 < $1.value ?? 0 })
            else { return piece.prefix(1).map { ($0.time, Double?.none) } }
            return least.time <= greatest.time ? [least, greatest] : [greatest, least]
        }
    }
}

/// Round times for an axis.
enum TimeTicks {
    private static let steps: [Double] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400,
    ]

    /// Times from 0 on, ms; at most one more than `count`.
    static func times(over length: Double, count: Int) -> [Double] {
        guard length.isFinite, length > 0 else { return [0] }
        let wanted = length / 1000 / Double(count)
        let step = (steps.first { $0 >= wanted } ?? (wanted / 14_400).rounded(.up) * 14_400) * 1000
        return Array(stride(from: 0, through: length, by: step))
    }
}
