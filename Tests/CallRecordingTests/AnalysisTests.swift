// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

@Suite("Analysing recorded calls")
struct AnalysisTests {
    @Test("several recordings of a call are read side by side in the order of time")
    func joined() throws {
        var times: [Double] = []
        let files = ["subscriber.jsonl", "publisher.jsonl"].map(Fixture.url)
        let timeline = try CallAnalysis.analyze(files: files) { times.append($0.time) }
        #expect(timeline.recordings.map(\.name) == ["subscriber.jsonl", "publisher.jsonl"])
        #expect(timeline.recordings.map(\.reports) == [8, 8])
        #expect(timeline.views.map(\.id.role) == [.publisher, .subscriber])
        #expect(timeline.views.map(\.id.recording) == [1, 0])
        #expect(timeline.views.map(\.stream) == ["s1", "s1"])
        #expect(times == times.sorted())
        #expect(times == timeline.events.map(\.time))
        guard case .subscriber(let last)? = timeline.views[1].observations.last?.content else {
            Issue.record("The subscriber's view has no observation.")
            return
        }
        #expect(last.remotePublisherTransport?.connectionEstimatedBandwidth == 1_500_000)
    }

    @Test(
        "the intervals of a view follow one another from its first report to its last",
        arguments: FormatTests.files.map(\.name))
    func tiled(name: String) throws {
        let timeline = try CallAnalysis.analyze(files: [Fixture.url(name)])
        #expect(!timeline.views.isEmpty)
        for view in timeline.views {
            #expect(zip(view.intervals, view.intervals.dropFirst()).allSatisfy { $0.to == $1.from })
            #expect(view.from == view.observations.first?.time)
            #expect(view.to == view.observations.last?.time)
        }
    }

    @Test("a browser's recorded good call raises no alarm")
    func chromium() throws {
        let folder = try TemporaryFolder()
        let files = try ["chromium_pub", "chromium_sub"].map { name in
            try folder.write(Fixture.chromium(name), to: "\(name).jsonl")
        }
        for recordings in [[files[0]], [files[1]], files] {
            let timeline = try CallAnalysis.analyze(files: recordings)
            #expect(timeline.views.count == recordings.count)
            #expect(timeline.views.allSatisfy { $0.reports >= 19 })
            #expect(timeline.summary.intervals == [])
            #expect(timeline.events.filter(\.isAlarm).map(\.kind) == [])
            #expect(timeline.views.allSatisfy { $0.intervals.last?.cause == Diagnosis.Cause.none })
        }
    }

    @Test("the summary is one line of JSON with the documented members")
    func summary() throws {
        let view = CallView.ID(recording: 0, peerConnection: "a", role: .subscriber)
        let timeline = CallTimeline(
            recordings: [RecordingSummary(name: "call.jsonl", format: .sightline, reports: 3)],
            views: [
                CallView(
                    id: view, stream: "s", reports: 3,
                    intervals: [
                        DiagnosisInterval(from: 1000, to: 2000, cause: .unknown),
                        DiagnosisInterval(
                            from: 2000, to: 3000, cause: .cpu, direction: .local, side: .local, severity: .bad
                        ),
                        DiagnosisInterval(from: 3000, to: 4000, cause: .none),
                    ])
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        #expect(
            String(decoding: try encoder.encode(timeline.summary), as: UTF8.self)
                == #"{"alarms":0,"facts":{"clients":[]},"findings":[],"from":1000,"information":[{"cause":"unknown","from":1000,"pc":"a","recording":0,"#
                + #""role":"subscriber","stream":"s","to":2000}],"intervals":[{"cause":"cpu","direction":"local","#
                + #""from":2000,"pc":"a","recording":0,"role":"subscriber","severity":3,"side":"local","stream":"s","#
                + #""to":3000}],"recordings":[{"connections":[],"format":"sightline","issues":0,"name":"call.jsonl","reports":3}],"#
                + #""score":{"participants":[]},"to":4000,"type":"summary","views":[{"from":1000,"pc":"a","recording":0,"reports":3,"#
                + #""role":"subscriber","stream":"s","to":4000}]}"#)
    }

    private static let view = CallView.ID(recording: 1, peerConnection: "a", role: .publisher)

    static let events: [(kind: TimelineEvent.Kind, json: String)] = [
        (
            .diagnosisChanged(
                Diagnosis(cause: .bandwidth, direction: .uplink, severity: .disturbing, since: 4)),
            #""diagnosis":{"cause":"bandwidth","direction":"uplink","severity":2,"since":4},"#
                + #""pc":"a","recording":1,"role":"publisher","time":5,"type":"diagnosisChanged""#
        ),
        (
            .stream(.networkConditionChanged(NetworkConditionChange(from: .good, to: .critical))),
            #""from":"good","localCondition":"unknown","pc":"a","reason":"networkConditionChange","recording":1,"#
                + #""remoteCondition":"unknown","role":"publisher","#
                + #""side":"local","time":5,"to":"critical","type":"networkConditionChanged""#
        ),
        (
            .stream(.videoQualityChanged(VideoQualityChange(.qualityDegradationCPU))),
            #""pc":"a","phase":"trigger","reason":"qualityDegradationCPU","recording":1,"role":"publisher","#
                + #""time":5,"type":"videoQualityChanged""#
        ),
        (
            .stream(.callQuality(CallQualityWarning(kind: .lowBandwidth, phase: .trigger, media: .video))),
            #""event":{"kind":"lowBandwidth","media":"video","phase":"trigger"},"pc":"a","recording":1,"#
                + #""role":"publisher","time":5,"type":"callQuality""#
        ),
    ]

    @Test("an event is one line of JSON under the names of the SDK", arguments: events)
    func event(of: (kind: TimelineEvent.Kind, json: String)) throws {
        let event = TimelineEvent(
            time: 5, view: Self.view, kind: of.kind, isAlarm: true,
            content: .publisher(PublisherObservation(timestamp: 5)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = String(decoding: try encoder.encode(event), as: UTF8.self)
        #expect(json == #"{"alarm":true,"# + of.json + "}")
    }

    @Test("events carry the statistics of their observation, the link's or the video's")
    func statistics() throws {
        var observation = PublisherObservation(timestamp: 5)
        observation.legs = ["x", "y", nil].map { PublishedLeg(timestamp: 5, connectionId: $0) }
        observation.legs[2].video = MediaFigures()
        func stats(_ event: StreamEvent) throws -> [String: Any]? {
            let event = TimelineEvent(
                time: 5, view: Self.view, kind: .stream(event), isAlarm: true,
                content: .publisher(observation))
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event)) as? [String: Any]
            return object?["stats"] as? [String: Any]
        }
        let change = NetworkConditionChange(connectionId: "y", from: .good, to: .fair)
        #expect(try stats(.networkConditionChanged(change))?["connectionId"] as? String == "y")
        #expect(try stats(.videoQualityChanged(VideoQualityChange(.codecChange)))?["videoLayers"] != nil)
    }

    @Test("the text tells views and intervals in minutes and seconds")
    func text() {
        let view = CallView.ID(recording: 0, peerConnection: "a", role: .subscriber)
        let start = 1_767_225_600_000.0
        let timeline = CallTimeline(
            recordings: [
                RecordingSummary(
                    name: "call.jsonl", format: .sightline, reports: 1,
                    issues: [RecordingIssue(.tornLine, line: 7, detail: "The last line is torn.")],
                    omittedIssues: 2)
            ],
            views: [
                CallView(
                    id: view, reports: 1,
                    intervals: [
                        DiagnosisInterval(from: start, to: start + 61_000, cause: .none),
                        DiagnosisInterval(
                            from: start + 61_000, to: start + 3_600_050, cause: .packetLoss,
                            direction: .downlink,
                            side: .local, severity: .bad),
                    ])
            ],
            events: [
                TimelineEvent(
                    time: start + 62_000, view: view,
                    kind: .stream(
                        .networkConditionChanged(NetworkConditionChange(from: .good, to: .fair))),
                    isAlarm: true, content: .subscriber(SubscriberObservation(timestamp: start))),
                TimelineEvent(
                    time: start + 63_000, view: view,
                    kind: .stream(
                        .callQuality(CallQualityWarning(kind: .frozenVideo, phase: .recover, media: .video))),
                    isAlarm: false, content: .subscriber(SubscriberObservation(timestamp: start))),
            ])
        #expect(
            timeline.text() == """
                call.jsonl: sightline, 1 report
                  line 7: The last line is torn.
                  and 2 more issues
                Call from 2026-01-01T00:00:00Z, 60:00.1 long

                subscriber a, 1 report
                  0:00.0 - 1:01.0  nothing wrong
                  1:01.0 - 60:00.1  packet loss, downlink, own side, bad
                    Packets are lost on this client's downlink. Compare with a call over a cable; if packets are lost there too, contact the provider.
                  ! 1:02.0  network condition good -> fair, own side
                    1:03.0  warning: freeze, video is over
                """)
        #expect(CallTimeline().text() == "No report that could be judged.")
    }

    @Test("names from a file cannot steer the terminal, and odd times do not trap")
    func oddText() {
        let view = CallView.ID(recording: 0, peerConnection: "a\u{1B}[2J\nb\u{202E}", role: .publisher)
        let interval = DiagnosisInterval(from: 0, to: .infinity, cause: .none)
        let text = CallTimeline(views: [CallView(id: view, intervals: [interval])]).text()
        #expect(text.contains("publisher a\u{FFFD}[2J\u{FFFD}b\u{FFFD}, 0 reports"))
        #expect(text.contains("0:00.0 - ?  nothing wrong"))
    }

    @Test("a file that cannot be read is an error that names it")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: RecordingError.self) {
            try CallAnalysis.analyze(files: [folder.file("missing.jsonl")])
        }
        #expect(missing?.code == .fileAccess)
        #expect(missing?.message.contains("missing.jsonl") == true)
        try Data("nothing".utf8).write(to: folder.file("odd.txt"))
        let odd = #expect(throws: RecordingError.self) {
            try CallAnalysis.analyze(files: [Fixture.url("publisher.jsonl"), folder.file("odd.txt")])
        }
        #expect(odd?.code == .unknownFormat)
        #expect(odd?.message.contains("odd.txt") == true)
    }

    @Test(
        "reading from a file gives what reading from memory gives", arguments: FormatTests.files.map(\.name))
    func reader(name: String) throws {
        var reader = try RecordingReader(Fixture.url(name))
        var records: [RecordedReport] = []
        while let record = try reader.next() { records.append(record) }
        #expect(try records == Reading(Fixture.bytes(name)).records)
        #expect(try reader.next() == nil)
    }
}
