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
        core.configure(NetworkQualityConfiguration())
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
        #expect(core.note(isBroken: true, of: id)?.level == .zero)
        #expect(core.setReconnecting(true) == nil)
        #expect(core.note(isBroken: false, of: id) == nil)
        #expect(core.setReconnecting(false)?.level == .five)
    }

    @Test("Verbosity can be changed in the call")
    func verbosity() {
        var core = QualityCore(.init(local: .minimal))
        _ = core.join()
        let (id, _) = core.open(.publisher)
        _ = core.note(Self.levels(.five), of: id)
        #expect(core.stats?.audio == nil)
        core.configure(.init(local: .moderate))
        #expect(core.stats?.audio?.send?.level == .five && core.stats?.audio?.send?.latency == nil)
        core.configure(.init(local: .detailed))
        #expect(core.stats?.audio?.send?.latency?.rtt == 0.05)
    }

    @Test("Others' levels are kept as far as they were asked for, and reported when they change")
    func remote() {
        let detailed = NetworkQualityStats(
            level: .three, audio: .init(send: .init(latency: .init(level: .three))))
        var core = QualityCore(.init(remote: .none))
        #expect(core.note(detailed, of: "bob") == nil && core.stats(of: "bob") == nil)
        core.configure(.init(remote: .minimal))
        #expect(core.note(detailed, of: "bob") == NetworkQualityStats(level: .three))
        #expect(core.note(NetworkQualityStats(level: .three), of: "bob") == nil)
        core.configure(.init(remote: .detailed))
        #expect(core.note(detailed, of: "bob") == nil && core.stats(of: "bob") == detailed)
        core.configure(.init(remote: .moderate))
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
        #expect(core.note([low], of: one, streamId: "p") == [CallQualityEvent(warning: low)])
        #expect(core.note([low], of: two, streamId: "s").isEmpty)
        #expect(core.note([high], of: one, streamId: "p").isEmpty)
        #expect(core.close(two).warnings == [CallQualityEvent(warning: high)])
    }
}
