// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The leading 128 bits of powers of five, the highest bit set.
enum PowersOfFive {
    struct Power: Sendable {
        var high: UInt64
        var low: UInt64
    }

    /// The exponents in the table: those a 128-bit integer can compute.
    static let exponents = -54...55

    /// The exponents at which a 64-bit factor times the power is never ambiguous.
    static let exactExponents = -27...55

    private static let table = exponents.map(compute)

    static func power(_ exponent: Int) -> Power {
        table[exponent - exponents.lowerBound]
    }

    private static func compute(_ exponent: Int) -> Power {
        var power = Power(high: 0, low: 1)
        for _ in 0..<exponent.magnitude { power.multiplyByFive() }
        if exponent < 0 { return reciprocal(of: power, exponent) }
        while power.high.leadingZeroBitCount > 0 { power.double() }
        return power
    }

    /// The first 128 significant bits of 1 / power, by long division; rounded up where the power fits 64 bits, since
    /// the product then still rounds right.
    private static func reciprocal(of power: Power, _ exponent: Int) -> Power {
        var remainder = Power(high: 0, low: 1)
        var quotient = Power(high: 0, low: 0)
        while quotient.high.leadingZeroBitCount > 0 {
            remainder.double()
            quotient.double()
            if remainder.isAtLeast(power) {
                remainder.subtract(power)
                quotient.low |= 1
            }
        }
        if exponent >= exactExponents.lowerBound { quotient.increment() }
        return quotient
    }
}

// As 128-bit integers, which Swift has from iOS 18 and macOS 15 on.
extension PowersOfFive.Power {
    fileprivate mutating func multiplyByFive() {
        let product = low.multipliedFullWidth(by: 5)
        (high, low) = (high &* 5 &+ product.high, product.low)
    }

    fileprivate mutating func double() {
        (high, low) = (high << 1 | low >> 63, low << 1)
    }

    fileprivate func isAtLeast(_ other: Self) -> Bool { (high, low) >= (other.high, other.low) }

    fileprivate mutating func subtract(_ other: Self) {
        let (difference, isBorrowed) = low.subtractingReportingOverflow(other.low)
        (high, low) = (high &- other.high &- (isBorrowed ? 1 : 0), difference)
    }

    fileprivate mutating func increment() {
        let (sum, isCarried) = low.addingReportingOverflow(1)
        (high, low) = (high &+ (isCarried ? 1 : 0), sum)
    }
}
