// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import Testing

@testable import CallRecording

@Suite("Intervals of a diagnosis")
struct IntervalTests {
    private static func intervals(_ ticks: [(Double, Diagnosis)]) -> [DiagnosisInterval] {
        var builder = IntervalBuilder()
        for (second, diagnosis) in ticks { builder.add(diagnosis, at: second * 1000) }
        return builder.intervals
    }

    private static func loss(_ severity: Diagnosis.Severity, _ side: NetworkDegradationSource? = nil)
        -> Diagnosis
    {
        Diagnosis(cause: .packetLoss, direction: .downlink, side: side, severity: severity)
    }

    private static let fine = Diagnosis(cause: .none)

    @Test("consecutive ticks of the same cause are one interval, as bad as its worst tick")
    func merged() {
        let intervals = Self.intervals([
            (0, Diagnosis()), (1, Self.fine), (2, Self.loss(.noticeable)), (3, Self.loss(.bad)),
            (4, Self.loss(.disturbing)), (5, Self.fine), (6, Self.fine),
        ])
        #expect(
            intervals == [
                DiagnosisInterval(from: 0, to: 1000, cause: .unknown),
                DiagnosisInterval(from: 1000, to: 2000, cause: .none),
                DiagnosisInterval(
                    from: 2000, to: 5000, cause: .packetLoss, direction: .downlink, severity: .bad),
                DiagnosisInterval(from: 5000, to: 6000, cause: .none),
            ])
    }

    @Test("another direction or another side is another interval")
    func split() {
        var uplink = Self.loss(.bad)
        uplink.direction = .uplink
        #expect(Self.intervals([(1, Self.loss(.bad)), (2, uplink)]).count == 2)
        #expect(Self.intervals([(1, Self.loss(.bad, .local)), (2, Self.loss(.bad, .remote))]).count == 2)
    }

    @Test("a side that is known only after the cause belongs to the whole interval")
    func lateSide() {
        let intervals = Self.intervals([
            (1, Self.loss(.bad, .unknown)), (2, Self.loss(.bad, .remote)), (3, Self.loss(.bad, .unknown)),
        ])
        #expect(intervals.map(\.side) == [.remote])
        #expect(intervals.map(\.to) == [3000])
    }

    @Test("a time without reports belongs to no interval")
    func gap() {
        let intervals = Self.intervals([
            (1, Self.fine), (2, Self.fine), (17, Self.fine), (32.1, Self.fine), (33, Self.fine),
        ])
        #expect(intervals.map(\.from) == [1000, 32_100])
        #expect(intervals.map(\.to) == [17_000, 33_000])
    }

    @Test("late ticks change nothing")
    func late() {
        #expect(
            Self.intervals([(2, Self.fine), (1, Self.loss(.bad)), (2, Self.loss(.bad))]).map(\.cause) == [
                .none
            ])
    }

    static let directions: [(Diagnosis, IntervalDirection?)] = [
        (Diagnosis(cause: .packetLoss, direction: .uplink), .uplink),
        (Diagnosis(cause: .jitter, direction: .downlink), .downlink),
        (Diagnosis(cause: .latency, direction: .both), .both),
        (Diagnosis(cause: .cpu), .local), (Diagnosis(cause: .cpu, direction: .uplink), .local),
        (Diagnosis(cause: .device), .local), (Diagnosis(cause: .media), nil),
        (Diagnosis(cause: .media, direction: .downlink), .downlink),
        (Diagnosis(cause: .none), nil), (Diagnosis(cause: .unknown), nil),
        (Diagnosis(cause: .outOfSync), nil), (Diagnosis(cause: .cpu, side: .remote), nil),
    ]

    @Test("a problem of the device is local, of the network where the diagnosis says", arguments: directions)
    func direction(of: (diagnosis: Diagnosis, direction: IntervalDirection?)) {
        #expect(IntervalDirection(of.diagnosis) == of.direction)
    }

    @Test("only a problem is an alarm", arguments: Diagnosis.Cause.allCases)
    func alarm(cause: Diagnosis.Cause) {
        let isInformation = [.none, .unknown, .recovering].contains(cause)
        #expect(DiagnosisInterval(from: 0, to: 1, cause: cause).isAlarm == !isInformation)
    }

    @Test("a view's intervals and events follow its diagnoses")
    func view() {
        let id = CallView.ID(recording: 0, peerConnection: "a", role: .subscriber)
        var view = ViewReplay(id, keepsObservations: true)
        var events: [TimelineEvent] = []
        for (second, diagnosis) in [
            (1.0, Diagnosis()), (2, Self.loss(.bad)), (2, Self.fine), (3, Self.loss(.bad)), (4, Self.fine),
        ] {
            let observation = SubscriberObservation(timestamp: second * 1000, diagnosis: diagnosis)
            events += view.take(
                CallObservation(time: second * 1000, content: .subscriber(observation)), stream: "s")
        }
        #expect(events.map(\.time) == [1000, 2000, 4000])
        #expect(
            events.map(\.kind) == [
                .diagnosisChanged(Diagnosis()), .diagnosisChanged(Self.loss(.bad)),
                .diagnosisChanged(Self.fine),
            ])
        #expect(events.map(\.isAlarm) == [false, true, false])
        #expect(view.result.intervals.map(\.cause) == [.unknown, .packetLoss, .none])
        #expect(view.result.reports == 4)
        #expect(view.result.observations.count == 4)
        #expect(view.result.stream == "s")
    }

    static let changes: [(from: Diagnosis?, to: Diagnosis, isAlarm: Bool)] = [
        (nil, Diagnosis(), false), (nil, fine, false), (nil, loss(.noticeable), true),
        (fine, loss(.noticeable), true), (loss(.noticeable), loss(.bad), true),
        (loss(.bad), loss(.noticeable), false), (loss(.bad), loss(.bad, .remote), false),
        (loss(.bad), Diagnosis(cause: .recovering, direction: .downlink), false),
        (Diagnosis(cause: .cpu, severity: .bad), loss(.noticeable), true), (loss(.bad), fine, false),
    ]

    @Test("a diagnosis that becomes worse is an alarm, one that becomes better is not", arguments: changes)
    func alarms(change: (from: Diagnosis?, to: Diagnosis, isAlarm: Bool)) {
        var view = ViewReplay(
            CallView.ID(recording: 0, peerConnection: "a", role: .subscriber), keepsObservations: false)
        var events: [TimelineEvent] = []
        for (index, diagnosis) in [change.from, change.to].enumerated() {
            guard let diagnosis else { continue }
            let time = Double(index + 1) * 1000
            let observation = SubscriberObservation(timestamp: time, diagnosis: diagnosis)
            events = view.take(CallObservation(time: time, content: .subscriber(observation)), stream: nil)
        }
        #expect(events.map(\.isAlarm) == [change.isAlarm])
    }

    @Test("what an observation caused becomes an event with the observation's own word on alarms")
    func observedEvents() {
        var view = ViewReplay(
            CallView.ID(recording: 0, peerConnection: "a", role: .publisher), keepsObservations: false)
        let caused: [StreamEvent] = [
            .callQuality(CallQualityWarning(kind: .cpuLimited, phase: .trigger)),
            .callQuality(CallQualityWarning(kind: .cpuLimited, phase: .recover)),
        ]
        let observation = PublisherObservation(timestamp: 1000, events: caused)
        let events = view.take(CallObservation(time: 1000, content: .publisher(observation)), stream: nil)
        #expect(events.map(\.kind) == [.diagnosisChanged(Diagnosis())] + caused.map { .stream($0) })
        #expect(events.map(\.isAlarm) == [false, true, false])
    }
}
