// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Which picture sizes a bandwidth is good for.
enum SizeRecommendation {
    /// The largest size of which a share of `rules.headroom` fits; `nil` if none does.
    static func size(for bandwidth: Double, simulcast: Bool, rules: PreCallRules) -> PreCallSize? {
        rules.sizes.first { size in
            (simulcast ? size.simulcastBitrate : size.bitrate) * rules.headroom <= bandwidth
        }
    }

    /// How well each size of the table would be seen, with `bitrate` to be had for its picture.
    static func grades(bitrate: Double, loss: Double, rules: PreCallRules) -> [NetworkTestReport.SizeGrade] {
        rules.rows.filter { $0.width > 0 }.map { row in
            NetworkTestReport.SizeGrade(
                width: row.width, height: row.height, grade: grade(row, bitrate: bitrate, loss: loss))
        }
    }

    /// How well audio alone would be heard.
    static func audioGrade(bitrate: Double, loss: Double, rules: PreCallRules) -> NetworkTestReport.Grade? {
        rules.rows.first { $0.width == 0 }.map { grade($0, bitrate: bitrate, loss: loss) }
    }

    private static func grade(_ row: PreCallRow, bitrate: Double, loss: Double) -> NetworkTestReport.Grade {
        if bitrate > row.excellentBitrate, loss < row.excellentLoss { return .excellent }
        if bitrate > row.acceptableBitrate, loss < row.acceptableLoss { return .acceptable }
        return .unsupported
    }
}
