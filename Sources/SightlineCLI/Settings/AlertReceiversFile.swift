// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import Foundation
import SessionServer

/// Who is notified of what, as a JSON file says it; what a member omits is as usual.
struct AlertReceiversFile: Decodable {
    struct Receiver: Decodable {
        var url: String
        var shape: AlertShape
        var rules = AlertRules()
        var secretFile: String?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case url, shape, severity, after, hold, fleet
            case secretFile = "secret-file"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOthers(than: CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            url = try container.decode(String.self, forKey: .url)
            shape = try container.word(AlertShape.allCases, .shape, \.rawValue) ?? .json
            rules.severity = try container.word([.warning, .critical], .severity, \.name) ?? rules.severity
            let seconds = 0...AlertRules.longest.seconds
            rules.after = try container.number(.after, seconds).map { .seconds($0) } ?? rules.after
            rules.hold = try container.number(.hold, seconds).map { .seconds($0) } ?? rules.hold
            rules.takesFleet = try container.decodeIfPresent(Bool.self, forKey: .fleet) ?? rules.takesFleet
            secretFile = try container.decodeIfPresent(String.self, forKey: .secretFile)
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case receivers, fleet }
    private enum FleetKeys: String, CodingKey, CaseIterable {
        case minutes
        case badShare = "bad-share"
        case minimumMinutes = "at-least"
    }

    private let receivers: [Receiver]
    private(set) var fleet = FleetRule()

    init(from decoder: any Decoder) throws {
        try decoder.refuseOthers(than: CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        receivers = try container.decode([Receiver].self, forKey: .receivers)
        guard container.contains(.fleet) else { return }
        try container.superDecoder(forKey: .fleet).refuseOthers(than: FleetKeys.self)
        let rule = try container.nestedContainer(keyedBy: FleetKeys.self, forKey: .fleet)
        fleet.badShare = try rule.number(.badShare, 0.001...1) ?? fleet.badShare
        fleet.window = try rule.number(.minutes, 2...1440).map { .seconds(60 * $0) } ?? fleet.window
        fleet.minimumMinutes =
            try rule.number(.minimumMinutes, 1...1_000_000).map { Int($0) } ?? fleet.minimumMinutes
    }

    /// - Throws: `ValidationError` that says what is wrong with the file, or with a secret's.
    static func read(_ path: String) throws -> (
        receivers: [SessionServerConfiguration.AlertReceiver], fleet: FleetRule
    ) {
        let option = "--alert-receivers"
        let file = try QualityOptions.read(Self.self, path, option: option) { _ in }
        let receivers = try file.receivers.enumerated().map { index, receiver in
            let name = "\(option): '\(path)': receivers.[\(index)]"
            let secret = try SecretSource(
                name: "\(name): secret", option: nil, file: receiver.secretFile, variable: ""
            ).secret([:])
            return try SessionServerConfiguration.AlertReceiver.checked(
                receiver.url, receiver.shape, secret, receiver.rules, named: name, secretNamed: "secret-file")
        }
        guard !receivers.isEmpty else {
            throw ValidationError("\(option): '\(path)': receivers should name at least one.")
        }
        return (receivers, file.fleet)
    }
}

extension SessionServerConfiguration.AlertReceiver {
    /// A receiver that can be one.
    ///
    /// - Parameters:
    ///   - name: Where its address stands.
    ///   - secretName: Where its secret does.
    /// - Throws: `ValidationError`.
    static func checked(
        _ address: String, _ shape: AlertShape, _ secret: String?, _ rules: AlertRules = AlertRules(),
        named name: String, secretNamed secretName: String
    ) throws -> Self {
        guard let url = URL(string: address), OutgoingRequest.canAsk(url) else {
            throw ValidationError(
                "\(name) should be a URL such as https://example.com/alerts, its port 1 to 65535.")
        }
        guard shape != .pagerduty || secret != nil else {
            throw ValidationError("\(name): PagerDuty needs the integration's routing key: \(secretName).")
        }
        // The key would be readable in transit by anyone on the path.
        guard shape != .pagerduty || !OutgoingRequest.isReadable(to: url) else {
            throw ValidationError(
                "\(name): PagerDuty's routing key is not sent over plain HTTP: use https://.")
        }
        guard secret == nil || [.json, .pagerduty].contains(shape) else {
            throw ValidationError(
                "\(name): there is no place for a secret in the shape \(shape.rawValue): leave it out.")
        }
        return .init(url: url, shape: shape, secret: secret, rules: rules)
    }
}

extension Decoder {
    /// Refuses an object with a member that is none of these: it would be a setting that does nothing.
    fileprivate func refuseOthers<Key: CodingKey & CaseIterable>(than _: Key.Type) throws {
        let known = Set(Key.allCases.map(\.stringValue))
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath + [key], debugDescription: "there is no such setting"))
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func number(_ key: Key, _ range: ClosedRange<Double>) throws -> Double? {
        guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard range.contains(number) else {
            let (least, most) = (
                range.lowerBound.formatted(), range.upperBound.formatted(.number.grouping(.never))
            )
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "it should be \(least) to \(most)")
        }
        return number
    }

    fileprivate func word<Word>(_ words: [Word], _ key: Key, _ name: (Word) -> String) throws -> Word? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let word = words.first(where: { name($0) == text }) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "it should be \(words.map(name).joined(separator: " or "))")
        }
        return word
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue _: Int) { nil }
}
