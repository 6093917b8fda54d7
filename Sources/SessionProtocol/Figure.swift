// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One figure of what a client has measured: its name on the wire, where it is, and the values that mean something.
struct Figure<Owner>: Sendable {
    /// So little beyond its range a figure is rounded, not impossible.
    private static var rounding: Double { 0.001 }

    let name: String
    let range: ClosedRange<Double>
    private let read: @Sendable (Owner) -> Double?
    private let write: @Sendable (inout Owner, Double?) -> Void

    init(
        _ name: String, _ path: any WritableKeyPath<Owner, Double?> & Sendable, _ range: ClosedRange<Double>
    ) {
        self.name = name
        self.range = range
        read = { $0[keyPath: path] }
        write = { $0[keyPath: path] = $1 }
    }

    init<Whole: BinaryInteger & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Owner, Whole?> & Sendable, _ range: ClosedRange<Double>
    ) {
        self.name = name
        self.range = range
        read = { $0[keyPath: path].map(Double.init) }
        write = { $0[keyPath: path] = $1.flatMap(Whole.init(exactly:)) }
    }

    /// Sets what is beyond the range by rounding to its bound, and leaves out what is impossible, unless `impossible`
    /// throws.
    func hold<Failure>(
        _ owner: inout Owner, _ impossible: (Figure) throws(Failure) -> Void
    ) throws(Failure) {
        guard let value = read(owner), !range.contains(value) else { return }
        let nearest = value < range.lowerBound ? range.lowerBound : range.upperBound
        // Not true of what is no number.
        if abs(value - nearest) <= Self.rounding { return write(&owner, nearest) }
        try impossible(self)
        write(&owner, nil)
    }
}
