// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which resolutions a bandwidth can carry.
package enum SizeRecommendation {
    /// The largest size of which a share of `rules.headroom` fits; `nil` if none does.
    package static func size(for bandwidth: Double, simulcast: Bool, rules: PreCallRules)
        -> RecommendedResolution?
    {
        rules.recommendedResolutions.first { size in
            (simulcast ? size.simulcastBitrate : size.bitrate) * rules.headroom <= bandwidth
        }
    }

    /// Grade of each size of the table with `bitrate` available for its video.
    package static func grades(bitrate: Double, loss: Double, rules: PreCallRules) -> [PreCallSizeGrade] {
        rules.resolutionRequirements.filter { $0.width > 0 }.map { row in
            PreCallSizeGrade(
                width: row.width, height: row.height, grade: grade(row, bitrate: bitrate, loss: loss))
        }
    }

    /// The grade of audio alone.
    package static func audioGrade(bitrate: Double, loss: Double, rules: PreCallRules) -> PreCallGrade? {
        rules.resolutionRequirements.first { $0.width == 0 }.map { grade($0, bitrate: bitrate, loss: loss) }
    }

    private static func grade(_ row: ResolutionRequirement, bitrate: Double, loss: Double) -> PreCallGrade {
        if bitrate > row.excellentBitrate, loss < row.excellentLoss { return .excellent }
        if bitrate > row.acceptableBitrate, loss < row.acceptableLoss { return .acceptable }
        return .unsupported
    }
}
