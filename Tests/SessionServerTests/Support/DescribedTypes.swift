// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import NetworkEmulation
import SessionCore
import SessionWire
import WebRTCStats

@testable import CallRecording
@testable import SessionServer

/// The types of which the API's requests and answers are made, by the names of their schemas.
enum DescribedTypes {
    /// The names of their schemas.
    static var names: [String] { types.map { $0.name } + written.map { $0.name } }

    private static var types: [(name: String, type: any Decodable.Type)] {
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

    /// What is only ever written: examples that together have every member.
    private static var written: [(name: String, examples: [any Encodable])] {
        let flow = FlowDescription(session: "s", connection: "c", stream: "t", role: .subscriber)
        let evidence: [CallRecording.Finding.Evidence] = [
            .init(name: "iceDelay", value: .figure(4, .seconds, limit: 2)),
            .init(name: "state", value: .text("failed")),
        ]
        let cost = ScorePart.Cost(cause: .connecting, severity: .bad, first: 0, seconds: 1, points: 1)
        let part = ScorePart(score: 99, seconds: 100, costs: [cost])
        let score = CallFindings.Score(
            connection: "c", score: 99, audio: part, video: part, connectivity: part)
        let finding = CallFindings.Entry(
            kind: .iceFailed, severity: .problem, connection: "c", flow: flow, medium: .audio, from: 0, to: 1,
            evidence: evidence, sentence: "", advice: "", tags: [.network])
        let rating = RatedCall(
            session: "s", connection: "c", participant: nil, name: nil, time: 0, score: 5, reason: nil,
            comment: nil, judged: nil)
        let findings = CallFindings(
            score: 99, participants: [score], findings: [finding], ratings: [rating], isTruncated: false)
        let alerts = [
            AlertNotification.Subject.uplink(stream: "t"),
            .fleet(FleetCount(minutes: 2, bad: 1), within: .seconds(600)),
        ].map {
            AlertNotification(subject: $0, worst: .critical, first: 0, last: 1, flows: 1, isOver: false)
        }
        return [
            ("FindingEvidence", evidence), ("ScorePart", [part]), ("ParticipantScore", [score]),
            ("CallFinding", [finding]), ("CallFindings", [findings]), ("AlertNotification", alerts),
            ("AlertPost", alerts.map { AlertPost(type: .began, alert: $0) }),
        ]
    }

    /// Schemas without a type that shows what it is in JSON: what is read or written by hand.
    static let others: Set = [
        "NetworkConditions", "NetworkLink", "NetworkStep", "ObservedEvent", "ObservedReport",
        "ObservedReports", "Reports",
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
            ("NetworkLink", NetworkConditions.Link.self), ("MediaKind", MediaKind.self),
            ("FindingKind", FindingKind.self), ("FindingSeverity", CallRecording.Finding.Severity.self),
            ("FindingTag", CallRecording.Finding.Tag.self),
        ]
    }

    /// Members of which the description says something else than their types.
    private static let exceptions: [String: JSONShape] = [
        // Fewer words than the type has.
        "Alert.side": .schema("AlertSide"), "Alert.worst": .schema("AlertCondition"),
        "AlertNotification.condition": .schema("AlertCondition"),
        "AlertNotification.direction": .words(["uplink", "downlink"]),
        // Read as any number, so that one with a fraction is refused with a sentence of its own.
        "GiveRating.score": .integer,
        // Described as any text since 0.2.0; to clients, a description of fewer values is another API.
        "CreateSession.mediaMode": .string,
    ]

    private static var known: KnownShapes {
        var known = KnownShapes()
        for (name, type) in types { known.names[ObjectIdentifier(type)] = name }
        for (name, type) in named { known.names[ObjectIdentifier(type)] = name }
        for (name, examples) in written {
            for example in examples { known.names[ObjectIdentifier(Swift.type(of: example))] = name }
        }
        known.examples = [
            ObjectIdentifier(StreamSample.self): StreamSample(),
            ObjectIdentifier(Diagnosis.self): Diagnosis(),
            ObjectIdentifier(NetworkConditions.Link.self): NetworkConditions.Link(),
        ]
        return known
    }

    private static func shapes() throws -> [(name: String, shape: JSONShape)] {
        let known = known
        var shapes: [(name: String, shape: JSONShape)] = []
        for (name, type) in types { shapes.append((name, try ShapeDecoder.shape(of: type, known))) }
        for (name, examples) in written {
            shapes.append((name, try ShapeEncoder.shape(of: examples, known)))
        }
        return shapes
    }

    /// The API's description with the schemas that follow from types.
    static func describe(_ document: StatsValue) throws -> StatsValue {
        let shapes = try shapes()
        return document.changing("components") { components in
            (components ?? .object([])).changing("schemas") { former in
                shapes.reduce(former ?? .object([])) { all, described in
                    all.changing(described.name) {
                        except(described.shape, described.name).schema(keeping: $0)
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
