// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire
import Testing
import WebRTCStats

@Suite("Figures and words of a sample")
struct SampleValidationTests {
    /// A place in a JSON value: names of members and numbers of elements.
    typealias Place = [String]

    /// Every place of a sample with a number, or with a text, that has all members that it can have.
    private static func places(_ isWanted: (StatsValue) -> Bool) throws -> [Place] {
        var found: [Place] = []
        func look(_ value: StatsValue, _ place: Place) {
            switch value {
            case .object(let members): for member in members { look(member.value, place + [member.name]) }
            case .array(let values):
                for (index, value) in values.enumerated() { look(value, place + ["\(index)"]) }
            default: if isWanted(value) { found.append(place) }
            }
        }
        look(try full(), [])
        return found
    }

    private static func full() throws -> StatsValue {
        var sample = SampleMessages.sample
        sample.audio = sample.video
        sample.levels = SampleQuality.all
        sample.events = [
            .callQuality(
                CallQualityWarning(
                    kind: .highInboundPacketLoss, phase: .trigger, media: .video, direction: .inbound))
        ]
        return try StatsValue.parse(Array(try JSONEncoder().encode(sample)))
    }

    /// The sample with something else in one place, as it comes from outside.
    private static func message(_ value: StatsValue, at place: Place) throws -> ClientMessage {
        func put(_ rest: Place.SubSequence, in tree: StatsValue) -> StatsValue {
            guard let name = rest.first else { return value }
            switch tree {
            case .object(let members):
                return .object(
                    members.map {
                        $0.name == name ? .init(name: name, value: put(rest.dropFirst(), in: $0.value)) : $0
                    })
            case .array(let values):
                return .array(
                    values.enumerated().map { "\($0)" == name ? put(rest.dropFirst(), in: $1) : $1 })
            default: return tree
            }
        }
        let json = try JSONEncoder().encode(put(place[...], in: try full()))
        let sample = try JSONDecoder().decode(StreamSample.self, from: json)
        return message(sample)
    }

    private static func message(_ sample: StreamSample) -> ClientMessage {
        .init(
            id: 1, .telemetry(.init(events: [.init(eventId: "e", capturedAt: 1, leg: "l", sample: sample)])))
    }

    private static func sample(_ message: ClientMessage) throws -> StreamSample {
        guard case .telemetry(let telemetry) = message.body else { throw NoSample() }
        return try #require(telemetry.events.first?.wholeSample)
    }

    private struct NoSample: Error {}

    /// The text at a place; `nil` if there is none.
    private static func text(_ tree: StatsValue, _ place: Place) -> String? {
        var value: StatsValue? = tree
        for name in place {
            if case .array(let values)? = value {
                value = Int(name).flatMap { values.indices.contains($0) ? values[$0] : nil }
            } else {
                value = value?[name]
            }
        }
        return value?.text
    }

    @Test("the sample that is varied here is in order, and has many figures and words")
    func full() throws {
        let sample = try JSONDecoder().decode(
            StreamSample.self, from: try JSONEncoder().encode(Self.full()))
        #expect(try Self.sample(Self.message(sample).validated()) == sample)
        #expect(try Self.places { $0.number != nil }.count == 55)
        #expect(try Self.places { $0.text != nil }.count == 27)
    }

    @Test(
        "each figure is refused by name if it means nothing",
        arguments: [Int64.max, .min, 1 << 60, -(1 << 60)])
    func impossible(value: Int64) throws {
        for place in try Self.places({ $0.number != nil }) {
            guard let message = try? Self.message(.int(value), at: place) else { continue }
            let error = #expect(throws: ServerError.self, "\(place)") { try message.validated() }
            #expect(error?.code == .malformed)
            #expect(error?.message.contains(place.joined(separator: ".")) == true, "\(error?.message ?? "")")
        }
    }

    @Test("no figure may be below zero but packets lost", arguments: [-1, -1000] as [Int64])
    func negative(value: Int64) throws {
        for place in try Self.places({ $0.number != nil }) where place.last != "packetsLost" {
            // What the type cannot hold was not even read.
            guard let message = try? Self.message(.int(value), at: place) else { continue }
            #expect(throws: ServerError.self, "\(place)") { try message.validated() }
        }
    }

    @Test("what is no number, or endless, is refused", arguments: [Double.nan, .infinity, -.infinity])
    func noNumber(value: Double) {
        var sample = StreamSample()
        sample.audio = .init()
        sample.audio?.mos = value
        #expect(throws: ServerError.self) { try Self.message(sample).validated() }
        #expect(sample.withoutImpossibleFigures().audio == .init())
    }

    @Test("what is beyond by rounding is set to the bound")
    func rounding() throws {
        var sample = StreamSample()
        sample.fractionLost = 1.000_000_1
        sample.roundTripTime = -1e-9
        sample.audio = .init()
        sample.audio?.mos = 5.000_1
        sample.audio?.jitter = -0.000_2
        let checked = try Self.sample(Self.message(sample).validated())
        #expect(checked.fractionLost == 1 && checked.roundTripTime == 0)
        #expect(checked.audio?.mos == 5 && checked.audio?.jitter == 0)
        #expect(sample.withoutImpossibleFigures() == checked)
    }

    @Test(
        "a text that is no word is as good as absent, wherever it stands; of a layer's id it is refused",
        arguments: ["", String(repeating: "x", count: 33), "two words", "\u{0}", "ä", "=1+1", "a\nb"])
    func noWord(text: String) throws {
        for place in try Self.places({ $0.text != nil }) where !Self.isLevel(place) {
            let message = try Self.message(.string(text), at: place)
            if place.last == "rid" {
                let error = #expect(throws: ServerError.self, "\(place) \(text)") { try message.validated() }
                #expect(error?.code == .malformed && error?.message.contains("rid") == true)
            } else {
                let json = try JSONEncoder().encode(Self.sample(message.validated()))
                let sample = try StatsValue.parse(Array(json))
                #expect(Self.text(sample, place) != text || text == "", "\(place)")
            }
        }
    }

    @Test("a word that this version does not know is omitted")
    func unknownWord() throws {
        for place in try Self.places({ $0.text != nil }) where !Self.isLevel(place) {
            guard place.last != "rid", place.last != "codec" else { continue }
            let message = try Self.message(.string("newerWord"), at: place)
            let sample = try Self.sample(message.validated())
            let json = String(decoding: try JSONEncoder().encode(sample), as: UTF8.self)
            #expect(!json.contains("newerWord"), "\(place)")
            #expect(sample.audio?.packets == 1000)
        }
    }

    @Test(
        "what only the server may say, and what no one knows, is skipped",
        arguments: [
            "sessionDestroyed", "connectionDestroyed", "connectionCreated", "streamDestroyed", "mediaLost",
            "audioFallback", "callquality", "x",
        ])
    func serverEvents(type: String) throws {
        let json = """
            {"events": [{"type": "\(type)", "reason": "none", "isAlarm": true},
                {"type": "callQuality", "reason": "frozenVideo", "phase": "trigger", "isAlarm": true}]}
            """
        let sample = try JSONDecoder().decode(StreamSample.self, from: Data(json.utf8))
        #expect(sample.events == [.callQuality(CallQualityWarning(kind: .frozenVideo, phase: .trigger))])
    }

    /// Levels are words of a closed list, which the reader knows.
    private static func isLevel(_ place: Place) -> Bool { place.last == "level" }
}

@Suite("Numbers and times of messages")
struct NumberValidationTests {
    private static let last = SessionProtocol.numberLimit

    @Test("ids and numbers are 1 to the last integer that every reader knows")
    func numbers() throws {
        for number in [1, Self.last] {
            #expect(throws: Never.self) { try ClientMessage(id: number, seq: number, .leave).validated() }
        }
        for number in [0, -1, Self.last + 1, .max, .min] {
            #expect(throws: ServerError.self) { try ClientMessage(id: number, .leave).validated() }
            #expect(throws: ServerError.self) { try ClientMessage(id: 1, seq: number, .leave).validated() }
        }
        for number in [-1, Self.last + 1, .max, .min] {
            #expect(throws: ServerError.self) {
                try ClientMessage(id: 0, .ack(.init(received: number))).validated()
            }
            #expect(throws: ServerError.self) {
                try ClientMessage(id: 1, .resume(.init(token: "t", received: number))).validated()
            }
        }
        #expect(throws: Never.self) { try ClientMessage(id: 0, .ack(.init(received: 0))).validated() }
    }

    @Test("times are those that a browser can tell", arguments: [.nan, .infinity, -1, 8.65e15, 1e300])
    func times(time: Double) {
        let event = TelemetryEvent(eventId: "e", capturedAt: time, leg: "l", sample: .init())
        #expect(throws: ServerError.self) {
            try ClientMessage(id: 1, .telemetry(.init(events: [event]))).validated()
        }
    }

    @Test("a report has a bounded number of entries")
    func entries() throws {
        for (count, isTaken) in [
            (SessionProtocol.reportLimit, true), (SessionProtocol.reportLimit + 1, false),
        ] {
            var report = StatsReport(timestamp: 1)
            report.outboundRTP = (0..<count).map { OutboundRTPStats(id: "\($0)", timestamp: 1) }
            let event = TelemetryEvent(eventId: "e", capturedAt: 1, leg: "l", report: report)
            let message = ClientMessage(id: 1, .telemetry(.init(events: [event])))
            #expect((try? message.validated()) == (isTaken ? message : nil))
        }
    }

    @Test("a ledger counts to the end", arguments: [Int.max, .min, SessionProtocol.numberLimit + 1])
    func ledger(number: Int) {
        var ledger = MessageLedger<Int>(limit: 2, weightLimit: .max)
        #expect(ledger.send(weight: .max) { $0 } == 1)
        #expect(ledger.send(weight: .max) { $0 } == nil)
        #expect(ledger.receive(number, at: .zero) == (number < 0 ? .duplicate : .gap))
        #expect(ledger.confirm(number) == false && ledger.resume(after: number) == nil)
        #expect(ledger.received == 0)
    }
}
