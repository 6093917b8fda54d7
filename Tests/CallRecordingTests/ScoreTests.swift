// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import Testing

@testable import CallRecording

@Suite("The score of a call")
struct ScoreTests {
    private static let view = CallView.ID(recording: 0, peerConnection: "a", role: .subscriber)
    private static let facts = CallFacts(clients: [ClientFacts(recording: 0)])

    private static func observation(
        _ second: Int, _ diagnosis: Diagnosis = Diagnosis(cause: .none), concealment: Double? = 0,
        frozen milliseconds: Double = 0, hasVideo: Bool = true, bitrate: Double? = nil
    ) -> CallObservation {
        let time = 1_767_225_600_000 + Double(second) * 1000
        var observation = SubscriberObservation(timestamp: time, diagnosis: diagnosis)
        var audio = MediaFigures()
        audio.concealment = concealment
        audio.bitrate = bitrate
        observation.audio = audio
        if hasVideo {
            var video = MediaFigures()
            video.totalFreezesDuration = milliseconds
            video.bitrate = bitrate
            observation.video = video
        }
        return CallObservation(time: time, content: .subscriber(observation))
    }

    private static func score(
        _ configuration: QualityConfiguration = QualityConfiguration(), _ facts: CallFacts = facts,
        _ observations: [CallObservation]
    ) -> CallScore {
        var builder = ScoreBuilder(configuration)
        for observation in observations { builder.take(observation, of: view) }
        return builder.score(facts)
    }

    @Test("a call without a fault has 100, and what no one observed has no score")
    func extremes() {
        let fine = Self.score(QualityConfiguration(), Self.facts, (0...10).map { Self.observation($0) })
        #expect(fine.score == 100)
        #expect(fine.participants.first?.parts.map(\.name) == ["audio", "video", "connectivity"])
        #expect(
            fine.participants.first?.parts.allSatisfy { $0.part.seconds == 10 && $0.part.costs == [] } == true
        )
        #expect(Self.score(QualityConfiguration(), Self.facts, []).score == nil)
    }

    @Test("a part loses the share of its seconds that were spoilt, each by its severity")
    func seconds() throws {
        let seconds = (0...10).map { second in
            Self.observation(second, concealment: second == 5 ? 0.5 : 0)
        }
        let participant = try #require(
            Self.score(QualityConfiguration(), Self.facts, seconds).participants.first)
        let audio = try #require(participant.audio)
        // One second of ten, unusable.
        #expect(audio.score == 90)
        #expect(audio.costs.map(\.severity) == [.unusable] && audio.costs.map(\.seconds) == [1])
        #expect(audio.costs.map(\.points) == [10])
        #expect(participant.video?.score == 100 && participant.connectivity?.score == 100)
        #expect(abs(participant.score - (90 * 0.5 + 100 * 0.3 + 100 * 0.2)) < 1e-9)
    }

    @Test("frozen video costs the video alone, a broken path everything")
    func media() throws {
        let frozen = (0...10).map { Self.observation($0, frozen: $0 > 5 ? 5000 : 0) }
        let one = try #require(Self.score(QualityConfiguration(), Self.facts, frozen).participants.first)
        #expect(one.audio?.score == 100 && one.video?.score == 90)
        let broken = (0...10).map { second in
            Self.observation(
                second,
                second > 5 ? Diagnosis(cause: .connection, severity: .unusable) : Diagnosis(cause: .none))
        }
        let other = try #require(Self.score(QualityConfiguration(), Self.facts, broken).participants.first)
        #expect(other.parts.map(\.part.score) == [50, 50, 50])
        #expect(other.parts.allSatisfy { $0.part.costs.map(\.cause) == [.diagnosed(.connection)] })
    }

    @Test("an outage costs what it lasted: also before it was known, and until media were back")
    func outage() throws {
        // Nothing comes in seconds 11 to 16, which is known from 13 on; half of second 17 has media.
        func observation(_ second: Int) -> CallObservation {
            let isKnown = (13...16).contains(second)
            return Self.observation(
                second,
                isKnown ? Diagnosis(cause: .connection, severity: .unusable) : Diagnosis(cause: .none),
                bitrate: (11...16).contains(second) ? 0 : second == 17 ? 10_000 : 20_000)
        }
        let participant = try #require(
            Self.score(QualityConfiguration(), Self.facts, (0...20).map(observation)).participants.first)
        for (name, part) in participant.parts {
            #expect(part.seconds == 20 && part.costs.map(\.seconds) == [6.5], "\(name)")
            #expect(part.costs.map(\.cause) == [.diagnosed(.connection)], "\(name)")
        }
    }

    private static func isOut(_ second: Int) -> CallObservation {
        let isLost = (11...18).contains(second)
        return observation(
            second, isLost ? Diagnosis(cause: .connection, severity: .unusable) : Diagnosis(cause: .none))
    }

    @Test(
        "an outage counts once, whichever directions and peer connections show it",
        arguments: [["a"], ["a", "b", "c"]], [[StreamRole.subscriber], [.publisher, .subscriber]])
    func once(_ connections: [String], _ roles: [StreamRole]) throws {
        var builder = ScoreBuilder()
        for second in 0...20 {
            for connection in connections {
                for role in roles {
                    builder.take(
                        Self.isOut(second),
                        of: .init(recording: 0, peerConnection: connection, role: role))
                }
            }
        }
        let part = try #require(builder.score(Self.facts).participants.first?.connectivity)
        #expect(part.seconds == 20 && part.costs.map(\.seconds) == [8] && part.score == 60)
        #expect(part.costs.first?.first == Self.observation(10).time)
    }

    @Test("an outage that is not of both directions all the time lasts as long as one of them is out")
    func eitherDirection() throws {
        var builder = ScoreBuilder()
        for second in 0...20 {
            builder.take(Self.isOut(second), of: Self.view)
            builder.take(
                Self.observation(
                    second,
                    (13...19).contains(second)
                        ? Diagnosis(cause: .connection, severity: .unusable) : Diagnosis(cause: .none)),
                of: .init(recording: 0, peerConnection: "a", role: .publisher))
        }
        let part = try #require(builder.score(Self.facts).participants.first?.connectivity)
        #expect(part.seconds == 20 && part.costs.map(\.seconds) == [9])
    }

    @Test("where one of several peer connections is out, its share of the time is lost")
    func oneOfSeveral() throws {
        var builder = ScoreBuilder()
        for second in 0...20 {
            builder.take(Self.isOut(second), of: Self.view)
            for connection in ["b", "c", "d"] {
                builder.take(
                    Self.observation(second),
                    of: .init(recording: 0, peerConnection: connection, role: .subscriber))
            }
        }
        let part = try #require(builder.score(Self.facts).participants.first?.connectivity)
        #expect(part.seconds == 20 && part.costs.map(\.seconds) == [2] && part.score == 90)
    }

    @Test("connections that are late together keep people waiting once, also beside one that works")
    func connectingTogether() throws {
        var client = ClientFacts(recording: 0)
        client.connections = ["b", "c", "d"].map { name in
            var connection = ConnectionFacts(pc: name, from: Self.observation(0).time, to: 0)
            connection.events = 5
            connection.establishment.isConnected = true
            connection.establishment.connectDelay = 7
            return connection
        }
        var builder = ScoreBuilder()
        let alone = builder.score(CallFacts(clients: [client])).participants.first?.connectivity
        #expect(alone?.seconds == 7 && alone?.costs.map(\.seconds) == [4])
        for second in 0...10 { builder.take(Self.observation(second), of: Self.view) }
        let beside = builder.score(CallFacts(clients: [client])).participants.first?.connectivity
        #expect(beside?.seconds == 10 && beside?.costs.map(\.seconds) == [3])
    }

    @Test("a connection that broke after its last report costs the time for which that is said")
    func broken() throws {
        let begin = Self.observation(0).time
        var client = ClientFacts(recording: 0)
        var connection = ConnectionFacts(pc: "a", from: begin, to: begin + 40_000)
        connection.events = 5
        connection.establishment.isConnected = true
        connection.establishment.lastState = "failed"
        connection.establishment.lastInterruption = 20
        client.connections = [connection]
        var builder = ScoreBuilder()
        for second in 0...20 { builder.take(Self.observation(second), of: Self.view) }
        let part = try #require(builder.score(CallFacts(clients: [client])).participants.first?.connectivity)
        #expect(part.seconds == 40 && part.score == 50)
        #expect(part.costs.map(\.cause) == [.diagnosed(.connection)])
        // Another one that took its place leaves nothing lost.
        for second in 20...40 {
            builder.take(
                Self.observation(second), of: .init(recording: 0, peerConnection: "b", role: .subscriber))
        }
        let replaced = builder.score(CallFacts(clients: [client])).participants.first?.connectivity
        #expect(replaced?.seconds == 40 && replaced?.score == 100)
    }

    @Test("the order in which views were first seen changes no digit of a score")
    func order() {
        let names = (0..<40).map { "\($0)" }
        let scores = [names, names.reversed(), names.shuffled()].map { names in
            var builder = ScoreBuilder()
            for name in names {
                for second in 0...1 {
                    let moment = Self.observation(second, bitrate: 0)
                    var late = moment
                    // Silence waits to be settled; what each has is no sum of powers of two.
                    late.time += Double(second) * 100.1 * (Double(name) ?? 0)
                    builder.take(
                        late, of: .init(recording: 0, peerConnection: name, role: .subscriber))
                }
            }
            return builder.score(Self.facts)
        }
        #expect(scores[0] == scores[1] && scores[0] == scores[2])
    }

    @Test("silence costs nothing, and before an outage no more of it than what that takes to be known")
    func silence() {
        let muted = (0...60).map { Self.observation($0, bitrate: $0 > 10 ? 0 : 20_000) }
        let participant = Self.score(QualityConfiguration(), Self.facts, muted).participants.first
        #expect(participant?.score == 100 && participant?.parts.allSatisfy { $0.part.seconds == 60 } == true)
        let cut =
            muted
            + (61...62).map {
                Self.observation($0, Diagnosis(cause: .connection, severity: .unusable), bitrate: 0)
            }
        let after = Self.score(QualityConfiguration(), Self.facts, cut).participants.first
        #expect(after?.audio?.costs.map(\.seconds) == [4])
    }

    @Test("what one track shows costs its medium alone", arguments: [MediaKind.audio, .video])
    func track(_ kind: MediaKind) throws {
        let seconds = (0...10).map { second in
            let diagnosis = Diagnosis(
                cause: .jitter, severity: .unusable, track: MediaTrack(kind: kind, ssrc: 7))
            return Self.observation(second, second > 5 ? diagnosis : Diagnosis(cause: .none))
        }
        let participant = try #require(
            Self.score(QualityConfiguration(), Self.facts, seconds).participants.first)
        #expect(participant.audio?.score == (kind == .audio ? 50 : 100))
        #expect(participant.video?.score == (kind == .video ? 50 : 100))
    }

    @Test("a part that there is not has no weight")
    func weights() {
        let audio = (0...10).map { Self.observation($0, concealment: $0 == 5 ? 0.5 : 0, hasVideo: false) }
        let score = Self.score(QualityConfiguration(), Self.facts, audio).score ?? 0
        #expect(abs(score - (90 * 0.5 + 100 * 0.2) / 0.7) < 1e-9)
        var configuration = QualityConfiguration()
        configuration.score.connectivity = 0
        configuration.score.unusable = 0.5
        #expect(Self.score(configuration, Self.facts, audio).score == 95)
    }

    @Test("time to connect costs beyond what people wait for, and never connecting costs all")
    func connecting() {
        var client = ClientFacts(recording: 0)
        var connection = ConnectionFacts(pc: "a", from: 0, to: 30_000)
        connection.events = 5
        connection.negotiation.hasLocal = true
        client.connections = [connection]
        #expect(Self.score(QualityConfiguration(), CallFacts(clients: [client]), []).score == 0)
        client.connections[0].establishment.isConnected = true
        client.connections[0].establishment.connectDelay = 4
        let late = Self.score(QualityConfiguration(), CallFacts(clients: [client]), [])
        #expect(late.score == 75)
        #expect(late.participants.first?.connectivity?.costs.map(\.cause) == [.connecting])
    }

    @Test("a report stands for no longer than the rules say, and times that fall count nothing")
    func times() {
        let gap = [Self.observation(0), Self.observation(1000), Self.observation(500)]
        let score = Self.score(QualityConfiguration(), Self.facts, gap)
        #expect(score.participants.first?.audio?.seconds == 10)
    }
}
