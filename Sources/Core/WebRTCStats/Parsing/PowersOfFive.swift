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
        var power: UInt128 = 1
        for _ in 0..<exponent.magnitude { power *= 5 }
        let bits =
            exponent < 0 ? reciprocal(of: power, exponent) : power << UInt128(power.leadingZeroBitCount)
        return Power(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    /// The first 128 significant bits of 1 / power, by long division; rounded up where the power fits 64 bits, since
    /// the product then still rounds right.
    private static func reciprocal(of power: UInt128, _ exponent: Int) -> UInt128 {
        var remainder: UInt128 = 1
        var quotient: UInt128 = 0
        while quotient.leadingZeroBitCount > 0 {
            remainder <<= 1
            quotient <<= 1
            if remainder >= power {
                remainder -= power
                quotient |= 1
            }
        }
        return exponent >= exactExponents.lowerBound ? quotient + 1 : quotient
    }
}
