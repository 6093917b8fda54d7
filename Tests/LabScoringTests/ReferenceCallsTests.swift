// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LabScoring
import MediaEngine
import TestSupport
import Testing

@Suite("Calls held against full reference")
struct ReferenceCallsTests {
    private static let files = Scenario.Files(video: "video.y4m", audio: "audio.wav")

    private static func scenario(_ kind: ReferenceCalls.Kind, _ seed: UInt64) -> Scenario {
        ReferenceCalls.scenario(kind, seed: seed, files: files)
    }

    @Test("are drawn from their seeds", arguments: ReferenceCalls.Kind.allCases)
    func seeds(kind: ReferenceCalls.Kind) {
        #expect(Self.scenario(kind, 7).steps == Self.scenario(kind, 7).steps)
        #expect(kind == .clean || Self.scenario(kind, 7).steps != Self.scenario(kind, 8).steps)
        #expect(Set(ReferenceCalls.fittedSeeds).isDisjoint(with: ReferenceCalls.heldOutSeeds))
    }

    @Test("are as a user gets them, with files", arguments: ReferenceCalls.Kind.allCases)
    func setup(kind: ReferenceCalls.Kind) {
        let setup = Self.scenario(kind, 7).setup
        #expect(setup.files == Self.files)
        #expect(setup.hasLayers)
        #expect(!setup.showsSenderStats)
    }

    @Test("have their steps in order, and end well", arguments: ReferenceCalls.Kind.allCases)
    func order(kind: ReferenceCalls.Kind) throws {
        let call = Self.scenario(kind, UInt64.random(in: 0...UInt64.max))
        #expect(call.steps.map(\.time) == call.steps.map(\.time).sorted())
        #expect(call.steps.isEmpty == (kind == .clean))
        #expect(call.steps.allSatisfy { (6..<call.duration).contains($0.time) })
        guard case .network(_, let last)? = call.steps.last?.action else { return }
        #expect(last == NetworkConditions())
    }

    @Test("become worse from issue to issue, within their range", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func strength(seed: UInt64) {
        func values(_ kind: ReferenceCalls.Kind, _ value: (NetworkConditions.Link) -> Double?) -> [Double] {
            Self.scenario(kind, seed).steps.compactMap { step in
                guard case .network(.bob, let conditions) = step.action else { return nil }
                return value(conditions.down)
            }
        }
        let losses = values(.randomLoss) { $0.loss > 0 ? $0.loss : nil }
        #expect(losses.count == 4 && losses == losses.sorted())
        #expect(losses.allSatisfy { (2...30).contains($0) })
        let rates = values(.rateCap) { $0.rate }
        #expect(rates.count == 4 && rates == rates.sorted(by: >))
        #expect(rates.allSatisfy { (80...500).contains($0) })
        let bursts = values(.burstLoss) { $0.burstLoss > 0 ? $0.burstLength : nil }
        #expect(bursts.count == 4 && bursts.allSatisfy { (4...12).contains($0) })
        #expect(values(.outage) { $0.isOut ? 1 : nil }.count >= 4)
    }

    @Test("have the times and the held-out seeds that the tools know")
    func tools() throws {
        let file = Repository.url("Lab/Reference/seconds.py")
        let text = try String(contentsOf: file, encoding: .utf8)
        let seeds = ReferenceCalls.heldOutSeeds.map { "\($0)" }.joined(separator: ", ")
        #expect(text.contains("HELD_OUT = (\(seeds))"))
        let first = Self.scenario(.randomLoss, 1).steps
        let times = [first[0].time, first[1].time - first[0].time, first[2].time - first[1].time]
        #expect(
            text.contains(
                "LEAD, BAD, GOOD, ISSUES = \(times.map { "\($0)" }.joined(separator: ", ")), \(first.count / 2)"
            ))
    }
}

@Suite("WAVE files")
struct WaveFileTests {
    @Test("hold the samples after a header of 44 bytes")
    func bytes() {
        let file = [UInt8](WaveFile.data([1, -2, 256], rate: 48_000))
        #expect(file.count == 50)
        #expect(Array(file[0..<4]) == Array("RIFF".utf8) && Array(file[4..<8]) == [42, 0, 0, 0])
        #expect(Array(file[20..<24]) == [1, 0, 1, 0])
        #expect(Array(file[24..<28]) == [0x80, 0xBB, 0, 0])
        #expect(Array(file[40..<44]) == [6, 0, 0, 0])
        #expect(Array(file[44...]) == [1, 0, 0xFE, 0xFF, 0, 1])
    }
}

@Suite("Seconds held against full reference")
struct ReferenceSecondTests {
    private static func seconds(of scenario: String) throws -> [ReferenceSecond] {
        let call = try #require(KeptCallTests.calls.first { $0.scenario == scenario })
        let folder = CallFolder(path: Repository.url("Lab/Recordings").path)
        return ReferenceSecond.seconds(try folder.records(of: call), .init())
    }

    @Test("have what is said of a kept call and what that rests on")
    func kept() throws {
        let seconds = try Self.seconds(of: "loss-20-down")
        #expect(seconds.count > 30)
        #expect(seconds.map(\.time) == seconds.map(\.time).sorted())
        let scored = seconds.filter { $0.audioMOS != nil && $0.videoMOS != nil }
        #expect(scored.count > seconds.count / 2)
        let worst = try #require(scored.max { $0.concealment ?? 0 < $1.concealment ?? 0 })
        #expect(worst.concealment ?? 0 > 0.1 && worst.cause == "packetLoss" && worst.severity != "none")
        #expect(worst.audioMOS ?? 5 < scored.first?.audioMOS ?? 0)
    }

    @Test("have what is missing and the ratio of its bursts, by which audio is scored")
    func missing() throws {
        let seconds = try Self.seconds(of: "burst-5-down")
        let concealed = seconds.filter { $0.concealment != nil }
        #expect(concealed.count > seconds.count / 2)
        for second in concealed {
            #expect(try #require(second.missing) >= second.concealment ?? 1)
        }
        // More than half of what it lacks is silence.
        let longest = seconds.first { $0.missing ?? 0 > 0.15 && $0.missing ?? 0 > 2 * ($0.concealment ?? 1) }
        #expect(longest?.burstRatio ?? 0 > 3)
        for second in seconds {
            guard let score = second.audioMOS else { continue }
            let missing = try #require(second.missing)
            let ratio = try #require(second.burstRatio)
            // The other leg's round trip time is not among the figures.
            let bounds = [0.5, 0].map { delay in
                OpinionScore().audio(
                    roundTripTime: delay, jitterBufferDelay: delay, concealment: missing, burstRatio: ratio)
            }
            #expect(score >= bounds[0] ?? 5 && score <= bounds[1] ?? 0)
        }
    }
}
