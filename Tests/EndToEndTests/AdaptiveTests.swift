// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import SessionServer
import SessionWire
import Sightline
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Calls that change between relayed and routed: real engine, real server, real router process.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct AdaptiveTests {
        @Test(
            "a call goes relayed, routed and relayed again: totals continue, nothing is alarmed, frames flow")
        func thereAndBack() async throws {
            let harness = try await CallHarness(
                mediaMode: .adaptive, change: { $0.timeouts.relayedAgain = .seconds(2) })
            let call = try await Call(harness)
            let watch = CallWatch(call)
            try await watch.ticks(3, areRelayed: true)
            let (carol, _) = try await call.join(harness, "carol")
            try await watch.ticks(5, areRelayed: false)
            await carol.disconnect()
            try await watch.ticks(5, areRelayed: true)
            let reports = try await call.publisher.rtcStatsReport()
            #expect(reports.count == 1)
            await call.end()
            await watch.finished()
            #expect(watch.findings.isEmpty, "\(watch.findings.joined(separator: "\n"))")
            // 600 ms of the video, by its own clock: a busy machine takes longer for them.
            #expect(watch.mostMissing < 18, "\(watch.mostMissing) frames in a row are missing")
            #expect(watch.shown > 100, "only \(watch.shown) frames have a number that could be read")
            try await harness.close()
        }
    }
}

/// Watches both ends of a call for anything that is not to happen when only its way changes.
final class CallWatch: Sendable {
    fileprivate struct State {
        var totals: [String: Int64] = [:]
        var startTimes: [String: Double] = [:]
        var findings: [String] = []
        /// Ticks in a row that the media were relayed, or routed.
        var ticks = (isRelayed: true, count: 0)
        var lastFrame: UInt32?
        var shown = 0
        /// Most frames in a row that the sender has made and the receiver has not shown.
        var mostMissing = 0
        var roundTripWarnings: [String] = []
        /// By the path's own checks, in s.
        var longestRoundTrip = 0.0
    }

    private let state = Mutex(State())
    private let watching = Mutex<[Task<Void, Never>]>([])

    init(_ call: Call) {
        let (sent, received) = (call.publisher.observations(), call.subscriber.observations())
        let (frames, life, publishing) = (
            call.subscriber.frames(), call.subscriber.events(), call.publisher.events()
        )
        let tasks = [
            Task { for await observation in sent { note(observation) } },
            Task { for await observation in received { note(observation) } },
            Task { for await frame in frames { noteFrame(frame.number) } },
            Task {
                for await event in life {
                    if case .didEnd = event { continue }
                    find("subscriber: \(event)")
                }
            },
            Task {
                for await event in publishing {
                    if case .streamDestroyed = event { continue }
                    find("publisher: \(event)")
                }
            },
        ]
        watching.withLock { $0 = tasks }
    }

    var findings: [String] { state.withLock { $0.findings + $0.falseRoundTripWarnings } }
    var mostMissing: Int { state.withLock { $0.mostMissing } }
    var shown: Int { state.withLock { $0.shown } }

    /// Waits until the call has been going one way for some ticks.
    func ticks(_ count: Int, areRelayed: Bool) async throws {
        let way = areRelayed ? "relayed" : "routed"
        try await eventually("\(count) ticks \(way)", within: .seconds(40)) {
            state.withLock { $0.ticks.isRelayed == areRelayed && $0.ticks.count >= count }
        }
    }

    /// Waits until both ends are over.
    func finished() async {
        for task in watching.withLock({ $0 }) { await task.value }
    }

    private func find(_ finding: String) { state.withLock { $0.findings.append(finding) } }

    private func note(_ observation: PublisherObservation) {
        let isRelayed = observation.legs.first?.connectionId != nil
        state.withLock { state in
            let goesOn = state.ticks.isRelayed == isRelayed
            state.ticks = (isRelayed, goesOn ? state.ticks.count + 1 : 1)
            if observation.video.count != 1 { state.findings.append("\(observation.video.count) statistics") }
            let (video, audio) = (observation.video.first, observation.audio.first)
            state.total("video packets sent", video?.packets)
            state.total("video bytes sent", video?.bytes)
            state.total("video packets lost (sent)", video?.packetsLost)
            state.total("audio packets sent", audio?.packets)
            state.total("audio packets lost (sent)", audio?.packetsLost)
            state.start("video sent", observation.legs.first?.videoDetails.startTime)
            state.start("audio sent", observation.legs.first?.audioDetails.startTime)
            for leg in observation.legs {
                state.longestRoundTrip = max(state.longestRoundTrip, leg.transport.roundTripTime ?? 0)
            }
            for event in observation.events where !event.isInformation { state.note(event, of: "publisher") }
        }
    }

    private func note(_ observation: SubscriberObservation) {
        state.withLock { state in
            let (video, audio) = (observation.video, observation.audio)
            state.total("video packets received", video?.packets)
            state.total("video bytes received", video?.bytes)
            state.total("video packets lost", video?.packetsLost)
            state.total("pauses", video?.pauseCount)
            state.total("freezes", video?.freezeCount)
            state.total("audio packets received", audio?.packets)
            state.start("video received", observation.videoDetails.startTime)
            state.start("audio received", observation.audioDetails.startTime)
            for event in observation.events where !event.isInformation { state.note(event, of: "subscriber") }
        }
    }

    private func noteFrame(_ number: UInt32?) {
        guard let number else { return }
        state.withLock { state in
            state.shown += 1
            // Those of the old way may come late.
            guard let last = state.lastFrame, number > last else {
                state.lastFrame = state.lastFrame ?? number
                return
            }
            state.mostMissing = max(state.mostMissing, Int(number - last) - 1)
            state.lastFrame = number
        }
    }
}

extension CallWatch.State {
    fileprivate mutating func note(_ event: StreamEvent, of end: String) {
        if case .callQuality(let warning) = event, warning.kind == .highRemoteInboundRTT {
            roundTripWarnings.append("\(end): \(event)")
        } else {
            findings.append("\(end): \(event)")
        }
    }

    /// Where the path's own checks took as long as RTCP says, the machine was busy, and the warning is right.
    fileprivate var falseRoundTripWarnings: [String] {
        longestRoundTrip > QualityConfiguration().warnings.highRemoteInboundRTT.trigger
            ? [] : roundTripWarnings
    }

    /// A total that must not go back.
    fileprivate mutating func total(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value = value.map({ Int64(clamping: $0) }) else { return }
        if let last = totals[name], value < last { findings.append("\(name): \(last), then \(value)") }
        totals[name] = value
    }

    /// A time that must stay.
    fileprivate mutating func start(_ name: String, _ time: Double?) {
        guard let time else { return }
        if let first = startTimes[name], first != time { findings.append("\(name) began twice") }
        startTimes[name] = time
    }
}

extension StreamEvent {
    /// A new path is not known at first, and then it is.
    fileprivate var isInformation: Bool {
        if case .networkConditionChanged(let change) = self { !change.isAlarm } else { false }
    }
}
