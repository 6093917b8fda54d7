// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import NetworkEmulation
import SessionCore
import SessionWire
import WebRTCStats

@testable import SessionServer

/// The types of which the API's requests and answers are made, by the names of their schemas.
enum DescribedTypes {
    static var types: [(name: String, type: any Decodable.Type)] {
        [
            ("Error", APIError.Body.self), ("SessionOverview", SessionOverview.self),
            ("SessionList", SessionList.self), ("FlowDescription", FlowDescription.self),
            ("ConnectionSummary", ConnectionSummary.self), ("StreamSummary", StreamSummary.self),
            ("FlowJudgement", FlowJudgement.self), ("FlowSummary", FlowSummary.self),
            ("WorstMinute", WorstMinute.self), ("SessionSummary", SessionSummary.self),
            ("FlowMinute", FlowMinute.self), ("Minutes", Minutes.self),
            ("TimelineEntry", TimelineEntry.self), ("Timeline", Timeline.self),
            ("SampleEntry", SampleEntry.self), ("Samples", Samples.self), ("FleetCount", FleetCount.self),
            ("FleetOmission", Fleet.Omission.self), ("Fleet", Fleet.self),
            ("FleetShare", FleetComparison.Share.self), ("FleetComparison", FleetComparison.self),
            ("Alert", Alert.self), ("AlertList", AlertList.self), ("Finding", SupportCase.Finding.self),
            ("SupportCase", SupportCase.self), ("KeepReports", KeepReports.self),
            ("ReportsKept", ReportsKept.self), ("ParticipantDeleted", ParticipantDeleted.self),
            ("CreateAPIToken", CreateAPIToken.self), ("ObserverDescription", ObserverDescription.self),
            ("ObservedReceipt", ObservedReceipt.self), ("APITokenCreated", APITokenCreated.self),
            ("RevokeAPIToken", RevokeAPIToken.self), ("TokenCreated", TokenCreated.self),
            ("Login", Login.self), ("LoggedIn", LoggedIn.self), ("CreateSession", CreateSession.self),
            ("SessionCreated", SessionCreated.self), ("CreateToken", CreateToken.self),
            ("Health", Health.self), ("NetworkCounters", NetworkCounters.self),
            ("ParticipantNetwork", ParticipantNetwork.self),
            ("ParticipantNetworks", NetworkRoutes.List.self), ("RouterList", RouterRoutes.List.self),
            ("RouterState", RouterState.self), ("DrainRouter", RouterRoutes.Drain.self),
            ("RatedCall", RatedCall.self), ("RatingAgreement", RatingAgreement.self),
            ("RatingList", RatingList.self), ("GiveRating", GiveRating.self),
        ]
    }

    /// Schemas without a type that is decoded: what is read or written by hand, and what is only ever written, of which
    /// `HistoryAPITests` and `AlertWebhookDescriptionTests` hold examples against them.
    static let others: Set = [
        "AlertNotification", "AlertPost", "CallFinding", "CallFindings", "ExportFormat", "FindingEvidence",
        "NetworkConditions", "NetworkLink", "NetworkStep", "ObservedEvent", "ObservedReport",
        "ObservedReports", "ParticipantScore", "ReportFormat", "Reports", "ScorePart",
    ]

    /// Types whose schemas follow from tables, or are written by hand.
    private static var named: [(name: String, type: Any.Type)] {
        [
            ("NetworkCondition", NetworkCondition.self), ("NetworkReason", NetworkReason.self),
            ("NetworkDegradationSource", NetworkDegradationSource.self), ("Cause", Diagnosis.Cause.self),
            ("Warning", CallQualityWarning.Kind.self), ("StreamRole", StreamRole.self),
            ("Observer", Observer.self), ("MediaMode", MediaMode.self), ("SessionKind", SessionKind.self),
            ("VideoType", VideoType.self), ("TokenRole", TokenRole.self), ("EndReason", EndReason.self),
            ("APIScope", APIScope.self), ("Sample", StreamSample.self), ("Diagnosis", Diagnosis.self),
            ("NetworkLink", NetworkConditions.Link.self),
        ]
    }

    /// Members of which the description says something else than their types.
    private static let exceptions: [String: JSONShape] = [
        // Fewer words than the type has.
        "Alert.side": .schema("AlertSide"), "Alert.worst": .schema("AlertCondition"),
        // Read as any number, so that one with a fraction is refused with a sentence of its own.
        "GiveRating.score": .integer,
        // Described as any text since 0.2.0; to clients, a description of fewer values is another API.
        "CreateSession.mediaMode": .string,
    ]

    private static var schemas: ShapeDecoder.Schemas {
        var schemas = ShapeDecoder.Schemas()
        for (name, type) in types { schemas.names[ObjectIdentifier(type)] = name }
        for (name, type) in named { schemas.names[ObjectIdentifier(type)] = name }
        schemas.examples = [
            ObjectIdentifier(StreamSample.self): StreamSample(),
            ObjectIdentifier(Diagnosis.self): Diagnosis(),
            ObjectIdentifier(NetworkConditions.Link.self): NetworkConditions.Link(),
        ]
        return schemas
    }

    /// The API's description with the schemas that follow from types.
    static func describe(_ document: StatsValue) throws -> StatsValue {
        let schemas = schemas
        return try document.changing("components") { components in
            try (components ?? .object([])).changing("schemas") { former in
                try types.reduce(former ?? .object([])) { all, described in
                    let shape = try ShapeDecoder.shape(of: described.type, schemas)
                    return all.changing(described.name) {
                        except(shape, described.name).schema(keeping: $0)
                    }
                }
            }
        }
    }

    private static func except(_ shape: JSONShape, _ name: String) -> JSONShape {
        guard case .object(let members) = shape else { return shape }
        return .object(
            members.map { member in
                var member = member
                member.shape = exceptions["\(name).\(member.name)"] ?? member.shape
                return member
            })
    }
}

extension WordCounts: WordCounting {
    static var word: Any.Type { Word.self }
}
