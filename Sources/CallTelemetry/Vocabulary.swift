// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The values that names in telemetry stand for; a name that nobody knows stands for none.
enum Vocabulary {
    static let conditions = table(NetworkCondition.self)
    static let reasons = table(NetworkReason.self)
    static let sources = table(NetworkDegradationSource.self)
    static let publisherVideoReasons = table(PublisherVideoEventReason.self)
    static let subscriberVideoReasons = table(SubscriberVideoEventReason.self)

    private static func table<Value: CodableByName>(_: Value.Type) -> [String: Value] {
        Dictionary(Value.allCases.map { ($0.name, $0) }) { first, _ in first }
    }
}
