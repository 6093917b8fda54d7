// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import TestSupport
import Testing

@testable import Sightline

/// The guide for those who come from Vonage, Twilio or Sinch says what is so.
///
/// That its names are in the API is checked where
/// the guides are (`Scripts/check-guides.py`).
@Suite("Coming from elsewhere")
struct ComingFromElsewhereTests {
    private static let guides = Repository.url("Sources/Client/Sightline/Sightline.docc")

    private static func guide(_ name: String) throws -> String {
        try String(contentsOf: guides.appending(path: "\(name).md"), encoding: .utf8)
    }

    /// The guide's row that has a name in its first or second column; what it says differs.
    private static func difference(_ name: String) throws -> String {
        let rows = try guide("ComingFromElsewhere").split(separator: "\n").map {
            $0.split(separator: "|", omittingEmptySubsequences: false)
        }
        let row = try #require(
            rows.first { $0.count == 5 && ($0[1] + $0[2]).contains("`\(name)`") }, "no row of \(name)")
        return String(row[3])
    }

    @Test("What is off or on by default is so here as the guide says")
    func defaults() throws {
        let settings = PublisherSettings()
        #expect(try Self.difference("senderStatsTrack").contains("off by default, too"))
        #expect(!settings.senderStatsTrack)
        #expect(try Self.difference("publisherAudioFallbackEnabled").contains("off by default, too"))
        #expect(!settings.publisherAudioFallbackEnabled)
        #expect(try Self.difference("subscriberAudioFallbackEnabled").contains("on by default, too"))
        #expect(settings.subscriberAudioFallbackEnabled && settings.audioFallbackEnabled)
        let configuration = SessionConfiguration()
        #expect(
            try Self.difference("SessionConfiguration.isNetworkQualityEnabled").contains(
                "off by default, too"))
        #expect(!configuration.isNetworkQualityEnabled && configuration.networkQualityConfiguration == nil)
        #expect(try Self.difference("getStats").contains("once a second"))
        #expect(configuration.statisticsInterval == .seconds(1))
        #expect(try Self.difference("getRtcStatsReport:").contains("asynchronous"))
    }

    @Test("Numbers that are called the same are Vonage's and Twilio's")
    func numbers() throws {
        #expect(try Self.difference("OTNetworkCondition").contains("the same numbers"))
        #expect(
            [NetworkCondition.unknown, .critical, .warning, .fair, .good, .excellent].map(\.rawValue)
                == Array(0...5))
        #expect(try Self.difference("OTNetworkReason").contains("`NetworkReason.connection`"))
        #expect(
            [NetworkReason.none, .unknown, .bandwidth, .packetLoss, .networkConditionChange].map(\.rawValue)
                == Array(0...4))
        #expect(NetworkReason(rawValue: 5) == .connection && NetworkReason(rawValue: 6) == nil)
        #expect(try Self.difference("OTNetworkDegradationSource").contains("the same four numbers, 0 to 3"))
        #expect(
            [NetworkDegradationSource.none, .bothOrUnclear, .local, .remote].map(\.rawValue) == Array(0...3))
        #expect(try Self.difference("OTPublisherVideoEventReason").contains("the same numbers"))
        let reasons: [VideoEventReason] = [
            .none, .publisherPropertyChanged, .subscriberPropertyChanged, .qualityChanged, .codecNotSupported,
            .qualityDegradationBandwidth, .qualityDegradationCPU, .qualityDegradationOther, .codecChange,
            .resolutionChange, .videoInterruption,
        ]
        #expect(reasons.map(\.rawValue) == Array(0...10))
        #expect(
            [NetworkQualityLevel.zero, .one, .two, .three, .four, .five].map(\.rawValue) == Array(0...5))
        #expect(
            [NetworkQualityVerbosity.none, .minimal, .moderate, .detailed].map(\.rawValue) == Array(0...3))
        #expect(NetworkQualityConfiguration() == .init(local: .minimal, remote: .none))
    }

    @Test("None means minimal for the own level, however it is said")
    func localVerbosity() throws {
        var configuration = NetworkQualityConfiguration(local: .detailed)
        configuration.local = .none
        #expect(configuration.local == .minimal)
        let text = Data(#"{"local": "none", "remote": "none"}"#.utf8)
        let read = try JSONDecoder().decode(NetworkQualityConfiguration.self, from: text)
        #expect(read == .init(local: .minimal, remote: .none))
    }

    @Test("Sinch's names are the kinds that are raised by default, all of them and no others")
    func sinch() throws {
        let text = try Self.guide("ComingFromElsewhere")
        let part = try #require(text.components(separatedBy: "## From Sinch").last)
        let named = part.matches(of: /`CallQualityWarning\.Kind\.(\w+)`/).map { String($0.1) }
        #expect(named.count == 7)
        #expect(try Self.difference("CallQualityWarning.Kind.highInboundJitter").contains("the same limit"))
        let rules = WarningRules()
        #expect(rules.highInboundJitter == rules.highInboundVideoJitter)
        let ours = CallQualityWarning.Kind.allCases.map(\.rawValue).filter { !named.contains($0) }
        #expect(ours.count == 13 && part.contains("adds thirteen of ours"))
        let levels = try Self.guide("WarningsAndLevels")
        let sets = levels.split(separator: "\n").filter { $0.hasPrefix("| `WarningRules.") }
        #expect(sets.count == 2)
        for name in named { #expect(sets[0].contains("`\(name)`")) }
        for name in ours { #expect(sets[1].contains("`\(name)`")) }
    }

    @Test("The guide of what can be set says the defaults")
    func settable() throws {
        let text = try Self.guide("WhatCanBeSet")
        let configuration = SessionConfiguration()
        let quality = configuration.quality
        let rows: [(name: String, seconds: Double)] = [
            ("QualityConfiguration.disconnectAfterSilence", quality.disconnectAfterSilence),
            ("WarningRules.noMedia", quality.warnings.noMedia.duration),
            ("WarningRules.zeroAudioLevel", quality.warnings.zeroAudioLevel.duration),
            ("WarningRules.silentMicrophone", quality.warnings.silentMicrophone.duration),
            ("VideoRules.interruption", quality.video.interruption),
            ("ConditionRules.outage", quality.condition.outage),
            ("SessionConfiguration.requestTimeout", configuration.requestTimeout.seconds),
            ("SessionConfiguration.reconnectionTime", configuration.reconnectionTime.seconds),
            ("SessionConfiguration.restorationTime", configuration.restorationTime.seconds),
            ("SessionConfiguration.statisticsInterval", configuration.statisticsInterval.seconds),
            ("SessionConfiguration.outputVolumeInterval", configuration.outputVolumeInterval.seconds),
        ]
        for row in rows { #expect(text.contains("| `\(row.name)` | \(Int(row.seconds)) s |"), "\(row.name)") }
    }
}
