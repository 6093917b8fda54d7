// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    @Test("The defaults make sense, and survive JSON")
    func defaults() throws {
        let configuration = QualityConfiguration()
        try configuration.validate()
        let text = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(QualityConfiguration.self, from: text) == configuration)
    }

    @Test("A file says only what differs; the rest keeps its default, also within")
    func partial() throws {
        let text = #"{"condition": {"loss": {"excellent": 0.001}, "outage": 3}, "remoteMetricsMaxAge": 5}"#
        let configuration = try JSONDecoder().decode(QualityConfiguration.self, from: Data(text.utf8))
        var expected = QualityConfiguration()
        expected.condition.loss.excellent = 0.001
        expected.condition.outage = 3
        expected.remoteMetricsMaxAge = 5
        #expect(configuration == expected)
    }

    @Test("When video gives way to audio, and what counts as silence, is settable")
    func control() throws {
        let text = """
            {"disconnectAfterSilence": 5, "audioFallback":
            {"subscriber": {"offAfter": 6}, "publisher": {"spare": 0.5}, "publisherVideoBitrate": 90000}}
            """
        let configuration = try JSONDecoder().decode(QualityConfiguration.self, from: Data(text.utf8))
        var expected = QualityConfiguration()
        expected.disconnectAfterSilence = 5
        expected.audioFallback.subscriber.offAfter = 6
        expected.audioFallback.publisher.spare = 0.5
        expected.audioFallback.publisherVideoBitrate = 90_000
        #expect(configuration == expected)
        expected.audioFallback.subscriber.offAfter = -1
        let error = #expect(throws: QualityConfigurationError.self) { try expected.validate() }
        #expect(error?.problems.count == 1)
        #expect(error?.description.contains("audioFallback.subscriber.offAfter") == true)
    }

    @Test("Everything that is written can be read: each number and each flag, and into its own place")
    func complete() throws {
        var configuration = QualityConfiguration()
        configuration.warnings.noMedia.recover = 0.5
        let defaults = try JSONDecoder().decode(
            SettingsTree.self, from: JSONEncoder().encode(configuration))
        let changed = try JSONDecoder().decode(
            QualityConfiguration.self, from: JSONEncoder().encode(defaults.changed))
        let result = try JSONDecoder().decode(SettingsTree.self, from: JSONEncoder().encode(changed))
        #expect(result.leaves("") == defaults.changed.leaves(""))
        #expect(changed.condition.upgradeDelay == 6 && changed.preCall.recommendedResolutions[2].width == 961)
    }

    @Test(
        "A name that is no setting is an error that names it",
        arguments: [
            #"{"conditon": {}}"#, #"{"condition": {"lost": 1}}"#, #"{"warnings": {"lowMOS": {"limit": 2}}}"#,
        ])
    func misspelled(text: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(QualityConfiguration.self, from: Data(text.utf8))
        }
        #expect("\(error)".contains("is no setting"))
    }

    @Test("Values that make no sense are all named")
    func invalid() throws {
        var configuration = QualityConfiguration()
        configuration.condition.loss.good = 0.5
        configuration.level.hysteresis = 2
        configuration.warnings.lowMOS.grace = -1
        configuration.preCall.resolutionRequirements[1].excellentLoss = .nan
        let error = try #require(throws: QualityConfigurationError.self) { try configuration.validate() }
        #expect(error.problems.count == 4)
        for name in [
            "condition.loss", "level.hysteresis", "warnings.lowMOS.grace",
            "preCall.resolutionRequirements[1].excellentLoss",
        ] {
            #expect(error.description.contains(name))
        }
    }
}
