// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

@testable import Sightline

@Suite("What a session knows of network quality and warnings")
struct QualityCoreTests {
    private static func levels(_ level: NetworkQualityLevel) -> [StreamLevels] {
        [StreamLevels(audio: .init(latency: .init(level: level, rtt: 0.05)))]
    }

    private static func warning(
        _ kind: CallQualityWarning.Kind, _ phase: CallQualityWarning.Phase = .trigger
    ) -> CallQualityWarning { CallQualityWarning(kind: kind, phase: phase) }

    @Test("Nothing is reported unless it is requested, and nothing outside the session")
    func off() {
        var core = QualityCore(nil)
        #expect(core.join() == nil)
        let (id, opened) = core.open(.publisher)
        #expect(opened == nil && core.note(Self.levels(.two), of: id) == nil && core.stats == nil)
        _ = core.configure(NetworkQualityConfiguration())
        #expect(core.stats?.level == .two)
        core.leave()
        #expect(core.stats == nil)
    }

    @Test("Idle is 5 and says so, a stream without data is unknown, and a level is reported once")
    func local() {
        var core = QualityCore(.init(local: .minimal))
        #expect(core.join() == NetworkQualityStats(level: .five, isIdle: true))
        let (id, opened) = core.open(.subscriber)
        #expect(opened == NetworkQualityStats(level: .unknown))
        #expect(core.note(Self.levels(.four), of: id) == NetworkQualityStats(level: .four))
        #expect(core.note(Self.levels(.four), of: id) == nil)
        #expect(core.note(Self.levels(.five) + Self.levels(.one), of: id)?.level == .one)
        #expect(core.note(nil, of: id)?.level == .unknown)
        #expect(core.close(id).change == NetworkQualityStats(level: .five, isIdle: true))
        #expect(core.close(id).change == nil)
    }

    @Test("Reconnecting is 0, be it a stream or the way to the server, until all is back")
    func reconnecting() {
        var core = QualityCore(.init())
        _ = core.join()
        let (id, _) = core.open(.publisher)
        _ = core.note(Self.levels(.five), of: id)
        #expect(core.note(.broken, of: id)?.level == .zero)
        #expect(core.setReconnecting(true) == nil)
        #expect(core.note(.working, of: id) == nil)
        #expect(core.setReconnecting(false)?.level == .five)
    }

    @Test("Verbosity can be changed in the call")
    func verbosity() {
        var core = QualityCore(.init(local: .minimal))
        _ = core.join()
        let (id, _) = core.open(.publisher)
        _ = core.note(Self.levels(.five), of: id)
        #expect(core.stats?.audio == nil)
        _ = core.configure(.init(local: .moderate))
        #expect(core.stats?.audio?.send?.level == .five && core.stats?.audio?.send?.latency == nil)
        _ = core.configure(.init(local: .detailed))
        #expect(core.stats?.audio?.send?.latency?.rtt == 0.05)
    }

    @Test("Others' levels are kept as far as they were asked for, and reported when they change")
    func remote() {
        let detailed = NetworkQualityStats(
            level: .three, audio: .init(send: .init(latency: .init(level: .three))))
        var core = QualityCore(.init(remote: .none))
        #expect(core.note(detailed, of: "bob") == nil && core.stats(of: "bob") == nil)
        _ = core.configure(.init(remote: .minimal))
        #expect(core.note(detailed, of: "bob") == NetworkQualityStats(level: .three))
        #expect(core.note(NetworkQualityStats(level: .three), of: "bob") == nil)
        _ = core.configure(.init(remote: .detailed))
        #expect(core.note(detailed, of: "bob") == nil && core.stats(of: "bob") == detailed)
        _ = core.configure(.init(remote: .moderate))
        #expect(core.stats(of: "bob")?.audio?.send?.level == .three)
        #expect(core.stats(of: "bob")?.audio?.send?.latency == nil)
        core.forget("bob")
        #expect(core.stats(of: "bob") == nil)
    }

    @Test("A stream's warnings come with its name, those of the device once for all streams")
    func warnings() {
        var core = QualityCore(nil)
        _ = core.join()
        let ((one, _), (two, _)) = (core.open(.publisher), core.open(.subscriber))
        let loss = Self.warning(.highInboundPacketLoss)
        #expect(
            core.note([loss], of: two, streamId: "s")
                == [CallQualityEvent(warning: loss, role: .subscriber, streamId: "s")])
        let low = Self.warning(.lowOSOutputVolumeLevel)
        let high = Self.warning(.lowOSOutputVolumeLevel, .recover)
        let over = Self.over(.lowOSOutputVolumeLevel)
        #expect(core.note([low], of: one, streamId: "p") == [CallQualityEvent(warning: low)])
        #expect(core.note([low], of: two, streamId: "s").isEmpty)
        #expect(core.note([high], of: one, streamId: "p").isEmpty)
        #expect(
            core.close(two).warnings == [
                CallQualityEvent(
                    warning: Self.over(.highInboundPacketLoss), role: .subscriber, streamId: "s"),
                CallQualityEvent(warning: over),
            ])
    }

    /// A warning that ends with what it is about.
    private static func over(
        _ kind: CallQualityWarning.Kind, of connection: String? = nil
    ) -> CallQualityWarning {
        CallQualityWarning(
            kind: kind, phase: .recover, connectionId: connection, recovery: .notApplicable)
    }

    @Test("What is raised can be read, and ends with its stream; no phase comes twice")
    func raisedWarnings() {
        var core = QualityCore(nil)
        _ = core.join()
        let (id, _) = core.open(.publisher)
        let loss = Self.warning(.highOutboundPacketLoss)
        let silence = Self.warning(.zeroAudioLevel)
        let raised = [loss, silence].map { CallQualityEvent(warning: $0, role: .publisher, streamId: "p") }
        #expect(core.note([loss, silence], of: id, streamId: "p") == raised)
        #expect(core.note([loss], of: id, streamId: "p").isEmpty)
        #expect(core.raisedWarnings == raised)
        #expect(core.note([Self.warning(.zeroAudioLevel, .recover)], of: id, streamId: "p").count == 1)
        #expect(core.note([Self.warning(.zeroAudioLevel, .recover)], of: id, streamId: "p").isEmpty)
        #expect(core.raisedWarnings == [raised[0]])
        #expect(core.close(id).warnings.map(\.warning) == [Self.over(.highOutboundPacketLoss)])
        #expect(core.raisedWarnings.isEmpty)
    }

    @Test("A subscriber's warnings end with its connection to a relayed publisher; the others stay")
    func connectionsOfWarnings() {
        var core = QualityCore(nil)
        _ = core.join()
        let (id, _) = core.open(.publisher)
        var warnings = ["b", "c"].map { connection in
            CallQualityWarning(kind: .highOutboundPacketLoss, phase: .trigger, connectionId: connection)
        }
        warnings.append(Self.warning(.silentMicrophone))
        _ = core.note(warnings, of: id, streamId: "p")
        let ended = core.note(connections: ["c"], of: id).warnings
        #expect(ended.map(\.warning) == [Self.over(.highOutboundPacketLoss, of: "b")])
        #expect(core.raisedWarnings.map(\.warning) == [warnings[1], warnings[2]])
        #expect(core.note(connections: [], of: id).warnings.count == 2, "nothing is sent any more")
        #expect(core.raisedWarnings.isEmpty)
    }

    @Test("A tick that was measured before its connections went raises nothing that no one would clear")
    func lateWarnings() {
        var core = QualityCore(nil)
        _ = core.join()
        let (id, _) = core.open(.publisher)
        let ofGone = CallQualityWarning(kind: .highOutboundPacketLoss, phase: .trigger, connectionId: "b")
        let ofAll = Self.warning(.highOutboundPacketLoss)
        _ = core.note(connections: ["c"], of: id)
        #expect(core.note([ofGone], of: id, streamId: "p").isEmpty)
        #expect(core.note([ofAll], of: id, streamId: "p").count == 1)
        _ = core.note(connections: [], of: id)
        #expect(core.note([ofGone, ofAll], of: id, streamId: "p").isEmpty)
        #expect(core.raisedWarnings.isEmpty)
        // Routed it has no subscribers of its own.
        _ = core.note(connections: nil, of: id)
        #expect(core.note([ofAll], of: id, streamId: "p").count == 1)
    }

    @Test("A relayed stream whose last subscriber left is idle, whatever its level was")
    func noSubscribers() {
        var core = QualityCore(.init())
        _ = core.join()
        let (id, _) = core.open(.publisher)
        _ = core.note(Self.levels(.one), of: id)
        #expect(core.note(connections: ["b"], of: id).change == nil)
        #expect(core.note(connections: [], of: id).change == NetworkQualityStats(level: .five, isIdle: true))
        #expect(core.note(Self.levels(.one), of: id) == nil, "measured before, and late")
        _ = core.note(connections: ["c"], of: id)
        #expect(core.note(Self.levels(.four), of: id)?.level == .four)
    }

    @Test("Levels that are switched on in a call come with the first one, at once")
    func switchedOn() {
        var core = QualityCore(nil)
        _ = core.join()
        let (id, _) = core.open(.publisher)
        _ = core.note(Self.levels(.three), of: id)
        #expect(core.configure(.init())?.level == .three)
        #expect(core.configure(.init(local: .detailed)) == nil, "more detail is no other level")
        #expect(core.configure(nil) == nil)
    }

    @Test("A client that cannot be reached says nothing of the own network")
    func unreachable() {
        var core = QualityCore(.init())
        _ = core.join()
        let (id, _) = core.open(.publisher)
        let (other, _) = core.open(.subscriber)
        _ = core.note(Self.levels(.four), of: other)
        #expect(core.note(Self.levels(.one), of: id)?.level == .one)
        #expect(core.note(.unreachable, of: id)?.level == .four)
        #expect(core.close(other).change == NetworkQualityStats(level: .five, isIdle: true))
        #expect(core.note(.working, of: id)?.level == .one)
    }
}
