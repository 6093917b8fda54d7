// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@Suite("Telemetry of which what changed is sent")
struct TelemetryBasesTests {
    private static func event(_ id: Int, _ leg: LegName, _ sample: StreamSample) -> TelemetryEvent {
        TelemetryEvent(eventId: "\(id)", capturedAt: Double(id) * 1000, leg: leg, sample: sample)
    }

    /// A sample with figures that are no finer than what is sent.
    private static func sample(_ random: inout SeededRandom) -> StreamSample {
        func figure(_ step: Double, _ most: Int) -> Double? {
            random.chance(4) ? nil : Double(random.next(most)) * step
        }
        func part(_ isVideo: Bool) -> MediaFigures {
            var media = MediaFigures()
            media.packets = random.chance(5) ? nil : UInt64(random.next(1 << 40))
            media.packetsLost = Int64(random.next(100)) - 50
            media.bitrate = figure(100, 50_000)
            media.codec = isVideo ? "VP8" : "opus"
            media.mos = 1 + Double(random.next(4))
            guard isVideo else { return media }
            media.width = random.chance(5) ? nil : 640
            media.frameRate = figure(1, 60)
            media.qualityLimitationReason = random.chance(2) ? QualityLimitationReason.allCases.first : nil
            if random.chance(2) {
                media.layers = (0..<(1 + random.next(3))).map {
                    LayerFigures(rid: "r\($0)", sending: random.chance(9), bitrate: figure(100, 10_000))
                }
            }
            return media
        }
        var sample = StreamSample()
        sample.networkCondition = NetworkCondition.allCases.randomElement(using: &random)
        sample.connectionEstimatedBandwidth = figure(100, 100_000)
        sample.roundTripTime = figure(0.5, 10)
        if !random.chance(8) { sample.audio = part(false) }
        if !random.chance(8) { sample.video = part(true) }
        if random.chance(2) {
            sample.diagnosis = Diagnosis(
                cause: Diagnosis.Cause.allCases.randomElement(using: &random) ?? .none, direction: .uplink,
                severity: random.chance(2) ? .bad : nil, since: 1_700_000_000_000,
                evidence: random.chance(2) ? .init(fractionLost: 0.25) : nil)
        }
        let direction = NetworkQualityDirectionStats(
            bandwidth: .init(level: .four, actual: figure(100, 1000)), latency: .init(level: .five, rtt: 0.5))
        if random.chance(2) { sample.levels = StreamLevels(video: direction) }
        if random.chance(6) { sample.events = [.videoQualityChanged(VideoQualityChange(.codecChange))] }
        return sample
    }

    /// A message as it goes over the wire.
    private static func sent(_ event: TelemetryEvent) throws -> TelemetryEvent {
        let message = ClientMessage(id: 1, .telemetry(.init(events: [event])))
        guard case .telemetry(let telemetry) = try ClientMessage(json: message.json()).validated().body else {
            return event
        }
        return telemetry.events.first ?? event
    }

    @Test("samples arrive as they were, whatever changes, over restarts", arguments: Seed.draw(20))
    func samples(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var writer = TelemetryWriter()
        var bases = TelemetryBases()
        var last: [LegName: StreamSample] = ["a": Self.sample(&random), "b": Self.sample(&random)]
        for id in 1...60 {
            let leg: LegName = random.chance(2) ? "a" : "b"
            var sample = last[leg] ?? StreamSample()
            // Mostly a few figures change, and rarely everything.
            if random.chance(5) { sample = Self.sample(&random) }
            let packets = sample.audio?.packets
            sample.audio?.packets = packets.map { $0 + UInt64(random.next(60)) }
            sample.video?.bitrate = Double(random.next(9000)) * 100
            if random.chance(3) { sample.diagnosis?.evidence = random.chance(2) ? nil : .init(jitter: 0.5) }
            if random.chance(3) {
                sample.levels?.video?.bandwidth = random.chance(2) ? nil : .init(level: .one)
            }
            if sample.video?.layers != nil { sample.video?.layers?[0].sending = random.chance(2) }
            sample.roundTripTime = random.chance(4) ? nil : 0.25
            last[leg] = sample
            if random.chance(10) { writer.restart() }
            let event = try bases.complete(try Self.sent(writer.write(Self.event(id, leg, sample))))
            #expect(event.sample == sample, "seed \(seed)")
            #expect(event.eventId == "\(id)" && event.leg == leg)
        }
    }

    @Test("a sample of which little changes takes a tenth of its bytes")
    func size() throws {
        var random = SeededRandom(seed: 1)
        var writer = TelemetryWriter()
        var sample = Self.sample(&random)
        _ = writer.write(Self.event(1, "a", sample))
        sample.roundTripTime = 0.25
        let event = writer.write(Self.event(2, "a", sample))
        guard case .figures(let figures, nil) = event.content else {
            Issue.record("\(event)")
            return
        }
        #expect(figures.count <= 3)
    }

    @Test("what builds on something that has not arrived is refused, until something whole comes")
    func gap() throws {
        var random = SeededRandom(seed: 2)
        var writer = TelemetryWriter()
        var bases = TelemetryBases()
        let sample = Self.sample(&random)
        _ = try bases.complete(writer.write(Self.event(1, "a", sample)))
        _ = writer.write(Self.event(2, "a", sample))
        for id in 3...4 {
            let late = writer.write(Self.event(id, "a", sample))
            let error = #expect(throws: ServerError.self) { try bases.complete(late) }
            #expect(error?.code == .lostBase)
        }
        writer.restart()
        let whole = writer.write(Self.event(5, "a", sample))
        #expect(whole.wholeSample != nil)
        _ = try bases.complete(whole)
        let next = writer.write(Self.event(6, "a", sample))
        #expect(next.wholeSample == nil)
        #expect(try bases.complete(next).sample?.roundTripTime == sample.roundTripTime)
    }

    @Test("a report and a sample of the same leg do not build on each other")
    func kinds() throws {
        var bases = TelemetryBases()
        var event = TelemetryEvent(
            eventId: "1", capturedAt: 1, leg: "a", .changes([.int(-1), .int(1000)]))
        #expect(try bases.complete(event).content == .report(StatsReport(), judged: nil))
        event.content = .figures([2], events: nil)
        #expect(throws: ServerError.self) { try bases.complete(event) }
        #expect(bases.count == 0)
    }

    @Test("what is kept is bounded, and what is over is forgotten")
    func bounded() throws {
        var bases = TelemetryBases()
        for leg in 0..<3000 {
            var event = Self.event(leg, "\(leg)", StreamSample())
            event.content = .sample(StreamSample(), number: 1)
            #expect(try bases.complete(event).sample != nil)
        }
        #expect(bases.count == TelemetryBases.limit / 64)
        bases.forget { $0 != "7" }
        #expect(bases.count == 1)
    }

    @Test(
        "figures that are not in order are refused, and no figure is out of its range",
        arguments: Seed.draw(20))
    func arbitrary(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bases = TelemetryBases()
        for _ in 0..<200 {
            var event = Self.event(1, "a", StreamSample())
            event.content = .sample(Self.sample(&random), number: 1)
            _ = try bases.complete(event)
            let changes = (0..<random.next(12)).map { _ in
                random.chance(3) ? [.max, .min, 1 << 53][random.next(3)] : Int64(random.next(120)) - 20
            }
            event.content = .figures([2] + changes, events: nil)
            let completed: MeasuredEvent
            do throws(ServerError) { completed = try bases.complete(event) } catch {
                #expect(error.code == .lostBase)
                continue
            }
            let sample = try #require(completed.sample)
            #expect(sample.withoutImpossibleFigures() == sample, "seed \(seed)")
        }
    }

    @Test(
        "is read as a decoder reads it",
        arguments: [
            #"{"eventId":"a","capturedAt":1.5,"leg":"x","changes":[-1,2.5,["codec","c"],[0,"a",null]]}"#,
            #"{"eventId":"a","capturedAt":1,"leg":"x","figures":[2,1,-5,-3],"interval":5}"#,
            #"{"eventId":"a","capturedAt":1,"leg":"x","figures":[]}"#,
            // Those that are left to the decoder.
            #"{"eventId":"a","capturedAt":1,"leg":"x","figures":[2],"events":[]}"#,
            #"{"eventId":"a","capturedAt":1,"leg":"x","figures":null,"report":[]}"#,
            #"{"eventId":"a","capturedAt":1,"leg":"x","figures":[-1],"sample":{}}"#,
        ])
    func reading(event: String) throws {
        let json = Data(#"{"type":"telemetry","id":3,"seq":4,"events":[\#(event)]}"#.utf8)
        #expect(try ClientMessage(json: json) == JSONDecoder().decode(ClientMessage.self, from: json))
    }

    @Test(
        "what cannot be is refused with the member that is wrong",
        arguments: [
            (#""figures":["a"]"#, "figures"), (#""figures":7"#, "figures"), (#""changes":{}"#, "changes"),
            (#""changes":[1],"interval":"a""#, "interval"), (#""figures":[1],"changes":[1]"#, "sample"),
            (#""figures":[1],"sample":{}"#, "sample"), (#""sample":{},"report":[]"#, "sample"),
            (#""interval":1"#, "sample"),
        ])
    func refused(members: String, wrong: String) {
        let json =
            #"{"type":"telemetry","id":3,"events":[{"eventId":"a","capturedAt":1,"leg":"x",\#(members)}]}"#
        let error = #expect(throws: ClientMessage.Unreadable.self) {
            try ClientMessage(json: Array(json.utf8))
        }
        #expect(error?.error.message.contains(wrong) == true)
    }

    @Test("changes, events and the interval are bounded")
    func limits() {
        var event = TelemetryEvent(eventId: "e", capturedAt: 1, leg: "l", .changes([]))
        func isTaken() -> Bool {
            (try? ClientMessage(id: 1, .telemetry(.init(events: [event]))).validated()) != nil
        }
        #expect(isTaken())
        event.content = .changes(Array(repeating: .null, count: TelemetryEvent.changeLimit + 1))
        #expect(!isTaken())
        event.content = .figures(Array(repeating: 2, count: TelemetryEvent.changeLimit + 1), events: nil)
        #expect(!isTaken())
        event.content = .changes([])
        event.interval = TelemetryEvent.intervalLimit + 1
        #expect(!isTaken())
        event.interval = nil
        let change = StreamEvent.videoQualityChanged(VideoQualityChange(.codecChange))
        event.content = .figures([2], events: Array(repeating: change, count: StreamEvent.limit + 1))
        #expect(!isTaken())
    }
}
