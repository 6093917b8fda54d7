// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The nearest `Double` to a decimal number of at most nineteen digits.
///
/// Small numbers by one exact operation (Clinger, "How to Read Floating Point Numbers Accurately", 1990), most others
/// by one product with a 128-bit power of five (Lemire, "Number Parsing at a Gigabyte per Second",
/// <https://arxiv.org/abs/2101.11408>).
enum DecimalConversion {
    private static let exactPowersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18,
        1e19, 1e20, 1e21, 1e22,
    ]

    /// `mantissa` times ten to the `exponent`, rounded to nearest, ties to even.
    ///
    /// - Returns: `nil` where the result is not certain or the exponent is outside the table; the caller then needs
    ///   a slower way.
    static func double(_ mantissa: UInt64, exponent: Int) -> Double? {
        if mantissa == 0 { return 0 }
        if mantissa <= 1 << 53, exponent.magnitude <= 22 {
            let power = exactPowersOfTen[Int(exponent.magnitude)]
            return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        }
        guard PowersOfFive.exponents.contains(exponent) else { return nil }
        return approximate(mantissa, exponent: exponent)
    }

    private static func approximate(_ mantissa: UInt64, exponent: Int) -> Double? {
        let leadingZeros = mantissa.leadingZeroBitCount
        let factor = mantissa << UInt64(leadingZeros)
        let power = PowersOfFive.power(exponent)
        var product = factor.multipliedFullWidth(by: power.high)
        if product.high & 0x1FF == 0x1FF {
            // The bits that decide the rounding are not settled: add the lower half's share.
            let (low, carry) = product.low.addingReportingOverflow(
                factor.multipliedFullWidth(by: power.low).high)
            product = (carry ? product.high &+ 1 : product.high, low)
        }
        if product.low == .max, !PowersOfFive.exactExponents.contains(exponent) { return nil }
        let upperBit = Int(product.high >> 63)
        let shift = UInt64(upperBit + 9)
        var significand = product.high >> shift
        let isHalfway = product.low <= 1 && significand & 3 == 1 && significand << shift == product.high
        if isHalfway, (-4...23).contains(exponent) { significand &= ~1 }
        significand = (significand + (significand & 1)) >> 1
        var binaryExponent = (217_706 * exponent) >> 16 + 63 + upperBit - leadingZeros
        if significand == 1 << 53 {
            significand >>= 1
            binaryExponent += 1
        }
        // The table's exponents keep the result far from the ends of Double's range, so it is a normal number.
        return Double(
            sign: .plus, exponentBitPattern: UInt(binaryExponent + 1023), significandBitPattern: significand)
    }
}
