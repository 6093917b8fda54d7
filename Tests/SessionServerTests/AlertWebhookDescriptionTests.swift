// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Testing

@testable import SessionServer

@Suite("The description of the webhook")
struct AlertWebhookDescriptionTests {
    private struct Document: Decodable {
        struct Webhook: Decodable { var post: Operation }
        struct Operation: Decodable { var requestBody: Body }
        struct Body: Decodable { var content: [String: Content] }
        struct Content: Decodable { var examples: [String: Example] }
        struct Example: Decodable { var value: JSON }
        var webhooks: [String: Webhook]
    }

    /// Whatever it is, to compare it.
    private enum JSON: Decodable, Equatable {
        case object([String: JSON]), text(String), number(Double), flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let members = try? container.decode([String: JSON].self) {
                self = .object(members)
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    @Test("its examples are what is posted")
    func examples() throws {
        let document = try JSONDecoder().decode(Document.self, from: Data(OpenAPIDocument.json.utf8))
        let examples = try #require(
            document.webhooks["alert"]?.post.requestBody.content["application/json"]?.examples)
        let site = AlertSite(application: "sightline", root: URL(string: "https://calls.example.org"))
        let session = "x7r4s3vz948z8cey"
        let uplink = AlertNotification(
            origin: site.origin, subject: .uplink(stream: "mmbmhmrar5aw4r3w"), session: session,
            connection: "k7f4s3vz948z8cey",
            reason: .packetLoss, worst: .critical, first: 1_763_971_200_250, last: 1_763_971_211_000,
            flows: 3,
            isOver: false, url: site.page(ofSession: session))
        let fleet = AlertNotification(
            origin: site.origin, subject: .fleet(FleetCount(minutes: 820, bad: 33), within: .seconds(600)),
            worst: .warning, first: 1_763_971_200_000,
            last: 1_763_972_400_000, flows: 0, isOver: true, url: site.fleet)
        for (name, post) in [
            ("began", AlertPost(type: .began, alert: uplink)),
            ("ended", AlertPost(type: .ended, alert: fleet)),
        ] {
            let posted = try AlertShape.json.body(of: post, routingKey: nil)
            #expect(try JSONDecoder().decode(JSON.self, from: posted) == examples[name]?.value)
            var check = try SchemaCheck()
            try check.check(Array(posted), "AlertPost")
            #expect(check.problems.isEmpty)
        }
    }
}
