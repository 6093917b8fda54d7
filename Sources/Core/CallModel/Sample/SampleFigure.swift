// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a figure counts in.
public enum FigureUnit: String, Sendable, CaseIterable {
    case bitsPerSecond = "bps"
    case seconds = "s"
    case milliseconds = "ms"
    case unixTime = "Unix ms"
    /// `0...1`.
    case fraction
    case pixels
    case perSecond = "1/s"
    /// Something whole.
    case count
    /// A mean opinion score, `1...5`.
    case score

    /// The smallest difference that is sent: what is finer than that is noise, and takes bytes.
    fileprivate var step: (size: Double, parts: Double) {
        switch self {
        case .bitsPerSecond: (100, 1)
        case .seconds, .fraction: (1, 1e4)
        case .perSecond: (1, 10)
        case .score: (1, 100)
        case .milliseconds, .unixTime, .pixels, .count: (1, 1)
        }
    }

    /// What the store multiplies figures by, to keep them as integers that are small and exact enough.
    var scale: Double {
        switch self {
        case .seconds, .fraction: 1e6
        case .perSecond: 100
        case .score: 1000
        case .bitsPerSecond, .milliseconds, .unixTime, .pixels, .count: 1
        }
    }
}

/// One figure of a sample, once: its name in JSON, its unit, what it can be, the store's column, and what people call it.
///
/// The wire's validation, the store's columns, CSV, the API's schema and what the dashboard shows follow from
/// ``SampleFigures``.
public final class SampleFigure<Owner: Sendable>: Sendable {
    // A class: whoever goes through the figures, as is done for every sample, would copy each one that is a value.

    /// So little beyond its range a figure is rounded, not impossible.
    private static var rounding: Double { 0.001 }

    /// The member of JSON.
    public let name: String
    /// What it counts in.
    public let unit: FigureUnit
    /// The values that mean something.
    public let range: ClosedRange<Double>
    /// The store's column, without the prefix of the part that it belongs to.
    package let column: String
    /// What people call it.
    public let label: String
    /// Where it is drawn over time; `nil` for nowhere.
    package let chart: FigureChart?
    /// What it says.
    package let meaning: FigureMeaning
    /// The round of additions that it came with; see ``SampleCodes``.
    let round: Int
    /// Its value; `nil` if it was not measured.
    public let value: @Sendable (Owner) -> Double?
    /// The figure as the store has it; `nil` if it is absent or impossible.
    package let code: @Sendable (Owner) -> Int64?
    /// Sets the figure as the store has it; what it cannot be is absent.
    package let setCode: @Sendable (inout Owner, Int64?) -> Void
    private let set: @Sendable (inout Owner, Double?) -> Void

    // Closures and no key paths: a sample has sixty figures, and a server stores thousands of samples a second.
    init(
        _ name: String, _ value: @escaping @Sendable (Owner) -> Double?,
        _ set: @escaping @Sendable (inout Owner, Double?) -> Void, _ unit: FigureUnit,
        _ range: ClosedRange<Double>, column: String, _ label: String, chart: FigureChart? = nil,
        meaning: FigureMeaning, round: Int = 0
    ) {
        let scale = unit.scale
        self.name = name
        self.unit = unit
        self.range = range
        self.column = column
        self.label = label
        self.chart = chart
        self.meaning = meaning
        self.round = round
        self.value = value
        self.set = set
        code = { owner in
            guard let value = value(owner), range.contains(value) else { return nil }
            return Int64(exactly: (value * scale).rounded())
        }
        let codes = Self.codes(range, unit)
        setCode = { owner, code in
            let isPossible = code.map(codes.contains) ?? false
            set(&owner, isPossible ? code.map { Double($0) / scale } : nil)
        }
    }

    /// The figure in steps of what is sent; `nil` if it is absent or impossible.
    func steps(_ owner: Owner) -> Int64? {
        guard let value = value(owner), range.contains(value) else { return nil }
        return Int64(exactly: (value / unit.step.size * unit.step.parts).rounded())
    }

    /// Sets the figure in steps of what is sent; what it cannot be is absent.
    func setSteps(_ owner: inout Owner, _ steps: Int64?) {
        let value = steps.map { Double($0) * unit.step.size / unit.step.parts }
        set(&owner, value.flatMap { range.contains($0) ? $0 : nil })
    }

    /// A figure that is a whole number.
    static func whole<Whole: BinaryInteger & Sendable>(
        _ name: String, _ value: @escaping @Sendable (Owner) -> Whole?,
        _ set: @escaping @Sendable (inout Owner, Whole?) -> Void, _ unit: FigureUnit,
        _ range: ClosedRange<Double>, column: String, _ label: String, chart: FigureChart? = nil,
        meaning: FigureMeaning, round: Int = 0
    ) -> SampleFigure {
        SampleFigure(
            name, { value($0).map { Double($0) } }, { set(&$0, $1.flatMap { Whole(exactly: $0) }) }, unit,
            range, column: column, label, chart: chart, meaning: meaning, round: round)
    }

    /// The bounds of the store's column.
    public var codes: ClosedRange<Int64> { Self.codes(range, unit) }

    private static func codes(_ range: ClosedRange<Double>, _ unit: FigureUnit) -> ClosedRange<Int64> {
        Int64(range.lowerBound * unit.scale)...Int64(range.upperBound * unit.scale)
    }

    /// Sets what is beyond the range by rounding to its bound, and removes what is impossible, unless `impossible` throws.
    func bound<Failure>(
        _ owner: inout Owner, _ impossible: (SampleFigure) throws(Failure) -> Void
    ) throws(Failure) {
        guard let value = value(owner), !range.contains(value) else { return }
        let nearest = value < range.lowerBound ? range.lowerBound : range.upperBound
        // Not true of what is no number.
        if abs(value - nearest) <= Self.rounding { return set(&owner, nearest) }
        try impossible(self)
        set(&owner, nil)
    }
}

/// One word of a sample, once: see ``SampleFigure``.
public struct SampleWord<Owner: Sendable>: Sendable {
    /// The member of JSON.
    public let name: String
    /// The store's column, without the prefix of the part that it belongs to.
    package let column: String
    /// What people call it.
    public let label: String
    /// The words that it can be, by the store's codes.
    package let vocabulary: Vocabulary
    /// What it says.
    package let meaning: FigureMeaning
    /// The round of additions that it came with; see ``SampleCodes``.
    let round: Int
    /// Its value; `nil` if there is none.
    public let value: @Sendable (Owner) -> String?
    /// The word as the store has it; `nil` if it is absent.
    package let code: @Sendable (Owner) -> Int64?
    private let writeCode: @Sendable (inout Owner, Int64) -> Void

    init<Word: LabelledWord>(
        _ name: String, _ word: @escaping @Sendable (Owner) -> Word?,
        _ set: @escaping @Sendable (inout Owner, Word?) -> Void, column: String, _ label: String,
        meaning: FigureMeaning, round: Int = 0
    ) {
        let all = Array(Word.allCases)
        self.name = name
        self.column = column
        self.label = label
        vocabulary = Vocabulary(Word.self)
        self.meaning = meaning
        self.round = round
        value = { word($0)?.name }
        code = { word($0).flatMap { all.firstIndex(of: $0) }.map { Int64($0) } }
        writeCode = { set(&$0, all.indices.contains(Int(clamping: $1)) ? all[Int($1)] : nil) }
    }

    /// Sets the word as the store has it; a code that this version does not know is absent.
    public func set(_ owner: inout Owner, code: Int64?) {
        if let code { writeCode(&owner, code) }
    }
}
