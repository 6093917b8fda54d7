// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("What a network test recommends")
struct SizeRecommendationTests {
    @Test(
        "the largest size of which three quarters fit",
        arguments: [
            (112_499.0, nil), (112_500, 320), (224_999, 320), (225_000, 480), (375_000, 640), (899_999, 640),
            (900_000, 960), (1_874_999, 960), (1_875_000, 1280), (2_999_999, 1280), (3_000_000, 1920),
            (1e12, 1920),
            (0, nil), (-1, nil),
        ] as [(Double, Int?)])
    func plain(bandwidth: Double, width: Int?) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.size(for: bandwidth, simulcast: false, rules: rules)?.width == width)
    }

    @Test(
        "simulcast needs more for the same size",
        arguments: [
            (112_499.0, nil), (112_500, 320), (262_499, 320), (262_500, 480), (487_499, 480), (487_500, 640),
            (1_162_499, 640), (1_162_500, 960), (2_362_499, 960), (2_362_500, 1280), (4_162_499, 1280),
            (4_162_500, 1920), (.nan, nil),
        ] as [(Double, Int?)])
    func simulcast(bandwidth: Double, width: Int?) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.size(for: bandwidth, simulcast: true, rules: rules)?.width == width)
    }

    /// A row of Vonage's table: more than these rates, bps.
    struct Row: Sendable {
        var width: Int
        var excellent: Double
        var acceptable: Double
    }

    private func grade(_ bitrate: Double, _ loss: Double, width: Int) -> PreCallGrade? {
        SizeRecommendation.grades(bitrate: bitrate, loss: loss, rules: PreCallRules())
            .first { $0.width == width }?.grade
    }

    @Test(
        "sizes are graded by Vonage's table: more than the rate and less than the loss, not equal to them",
        arguments: [
            Row(width: 1280, excellent: 1_000_000, acceptable: 350_000),
            Row(width: 640, excellent: 600_000, acceptable: 250_000),
            Row(width: 352, excellent: 300_000, acceptable: 150_000),
            Row(width: 320, excellent: 300_000, acceptable: 150_000),
        ])
    func grades(row: Row) {
        #expect(grade(row.excellent + 1, 0.0049, width: row.width) == .excellent)
        #expect(grade(row.excellent, 0.0049, width: row.width) == .acceptable)
        #expect(grade(row.excellent - 1, 0, width: row.width) == .acceptable)
        #expect(grade(row.excellent + 1, 0.005, width: row.width) == .acceptable)
        #expect(grade(row.excellent + 1, 0.0051, width: row.width) == .acceptable)
        #expect(grade(row.acceptable + 1, 0.0299, width: row.width) == .acceptable)
        #expect(grade(row.acceptable, 0, width: row.width) == .unsupported)
        #expect(grade(row.acceptable - 1, 0, width: row.width) == .unsupported)
        #expect(grade(row.excellent + 1, 0.03, width: row.width) == .unsupported)
        #expect(grade(row.excellent + 1, 0.0301, width: row.width) == .unsupported)
    }

    @Test(
        "audio alone is graded by its row",
        arguments: [
            (30_001, 0.0049, .excellent), (30_000, 0.0049, .acceptable), (29_999, 0, .acceptable),
            (30_001, 0.005, .acceptable), (25_001, 0.0499, .acceptable), (25_000, 0, .unsupported),
            (24_999, 0, .unsupported), (30_001, 0.05, .unsupported), (30_001, 0.0501, .unsupported),
        ] as [(Double, Double, PreCallGrade)])
    func audioGrades(bitrate: Double, loss: Double, expected: PreCallGrade) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.audioGrade(bitrate: bitrate, loss: loss, rules: rules) == expected)
    }
}
