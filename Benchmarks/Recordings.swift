// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import Foundation
import WebRTCStats

/// What reading and judging a recording costs, file and all, per report.
func recordingRows(_ samples: Samples) throws -> [Row] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try [(objects: 40, goal: 55.0), (objects: 300, goal: 380.0)].flatMap { objects, goal in
        let call = SampleCall(samples, objects: objects)
        let forms = [
            ("replay entries", call.replayEntries), ("rtcstats", call.rtcstats),
            ("webrtc-internals", call.webrtcInternals),
        ]
        return try forms.map { name, text in
            let file = folder.appending(path: "\(name)-\(objects)")
            try Data(text().utf8).write(to: file)
            let time = try Stopwatch.microseconds(rounds: 5, calls: 1) {
                keep(try CallAnalysis.analyze(files: [file], keepsObservations: false))
            }
            return Row(
                name: "read and judge a report of \(objects) objects, \(name)",
                microseconds: time / Double(SampleCall.reports), goal: goal)
        }
    }
}

/// A call whose client sends, and receives from as many others as reports of that size take.
private struct SampleCall {
    /// Four minutes, a report a second.
    static let reports = 240

    private let ticks: [[NativeObject]]

    init(_ samples: Samples, objects: Int) {
        let recorded = zip(samples.publisher, samples.subscriber).map { sent, received in
            Self.tick(NativeObject.all(in: sent), NativeObject.all(in: received), objects: objects)
        }
        let growth = Growth(recorded)
        ticks = (0..<Self.reports).map { number in
            let (round, place) = number.quotientAndRemainder(dividingBy: recorded.count)
            return recorded[place].map { growth.applied(to: $0, Double(round)) }
        }
    }

    private static func tick(
        _ sent: [NativeObject], _ received: [NativeObject], objects: Int
    ) -> [NativeObject] {
        var tick = sent
        var participant = 0
        while tick.count < objects {
            // What is shared by all participants is there once.
            let own = received.filter { participant == 0 || $0.isOfStream }
            tick += own.prefix(objects - tick.count).map { $0.named(participant) }
            participant += 1
        }
        return tick
    }

    private var times: [Double] { ticks.map { $0.map(\.timestamp).max() ?? 0 } }

    func replayEntries() -> String {
        zip(ticks, times).map { objects, time in
            let report = String(decoding: NativeObject.build(objects).json(), as: UTF8.self)
            return #"{"timestamp":\#(time),"peerConnections":[["pc",\#(report)]]}"# + "\n"
        }.joined()
    }

    /// Differences, as rtcstats clients write them.
    func rtcstats() throws -> String {
        var last: [String: [StatsMember]] = [:]
        return try zip(ticks, times).map { objects, time in
            var entries = objects.map { object in
                let all = object.allMembers
                let old = last.updateValue(all, forKey: object.id) ?? []
                let changed = all.filter { member in !old.contains(member) }
                let stamp = StatsMember(name: "timestamp", value: .double(object.timestamp))
                return StatsMember(name: object.id, value: .object(changed + [stamp]))
            }
            entries.append(StatsMember(name: "timestamp", value: .double(time)))
            let line = [.string("getstats"), .string("pc"), .object(entries), StatsValue.double(time)]
            return try text(.array(line)) + "\n"
        }.joined()
    }

    /// A series for each member of each object.
    func webrtcInternals() throws -> String {
        var series: [String: (type: String, start: Double, end: Double, values: [StatsValue])] = [:]
        for object in ticks.joined() {
            let time = StatsMember(name: "timestamp", value: .double(object.timestamp))
            for member in object.allMembers + [time] where member.name != "type" {
                let name = "\(object.id)-\(member.name)"
                series[name, default: (object.type, object.timestamp, 0, [])].values.append(member.value)
                series[name]?.end = object.timestamp
            }
        }
        let stats = try series.map { name, one in
            StatsMember(
                name: name,
                value: .object([
                    StatsMember(name: "startTime", value: .double(one.start)),
                    StatsMember(name: "endTime", value: .double(one.end)),
                    StatsMember(name: "statsType", value: .string(one.type)),
                    StatsMember(name: "values", value: .string(try text(.array(one.values)))),
                ]))
        }
        let connection = StatsValue.object([StatsMember(name: "stats", value: .object(stats))])
        let connections = StatsValue.object([StatsMember(name: "1-1", value: connection)])
        return try text(.object([StatsMember(name: "PeerConnections", value: connections)]))
    }

    private func text(_ value: StatsValue) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

/// By how much counters grow in the recorded seconds, so that the call continues when these are repeated.
private struct Growth {
    private struct Key: Hashable {
        var id: String
        var member: String
    }

    private var steps: [Key: Double] = [:]
    private let duration: Double

    init(_ ticks: [[NativeObject]]) {
        duration = Double(ticks.count) * 1000
        guard let first = ticks.first, let last = ticks.last else { return }
        let begin = Dictionary(first.map { ($0.id, $0.allMembers) }) { old, _ in old }
        for object in last {
            for member in object.allMembers {
                guard let from = begin[object.id]?[member.name]?.number, let to = member.value.number,
                    to > from
                else { continue }
                steps[Key(id: object.id, member: member.name)] = to - from
            }
        }
    }

    func applied(to object: NativeObject, _ rounds: Double) -> NativeObject {
        var object = object
        object.timestamp += rounds * duration
        object.members = object.members.map { key, value in
            guard let step = steps[Key(id: object.id, member: key.name)], let number = value.number else {
                return (key, value)
            }
            let grown = number + rounds * step
            if case .double = value { return (key, .double(grown)) }
            return (key, .int(Int64(grown)))
        }
        return object
    }
}

extension NativeObject {
    /// All that the object says but its id and its time.
    fileprivate var allMembers: [StatsMember] {
        [StatsMember(name: "type", value: .string(type))]
            + members.map { StatsMember(name: $0.name, value: $1) }
    }

    /// Whether it belongs to one of the streams that share the connection.
    fileprivate var isOfStream: Bool {
        ["inbound-rtp", "remote-outbound-rtp", "media-playout"].contains(type)
    }

    /// Members that name what is there once.
    private static let sharedReferences: Set<String> = [
        "codecId", "transportId", "selectedCandidatePairId", "localCandidateId", "remoteCandidateId",
        "localCertificateId", "remoteCertificateId",
    ]

    /// The same of another participant.
    fileprivate func named(_ participant: Int) -> NativeObject {
        var object = self
        object.id += "-\(participant)"
        object.members = members.map { key, value in
            switch (key.name, value) {
            case ("remoteId", .string(let id)), ("localId", .string(let id)), ("playoutId", .string(let id)),
                ("trackIdentifier", .string(let id)), ("mid", .string(let id)):
                (key, .string("\(id)-\(participant)"))
            case (let name, .string(let id)) where Self.sharedReferences.contains(name):
                (key, .string("\(id)-0"))
            case ("ssrc", .int(let ssrc)): (key, .int(ssrc + Int64(participant)))
            default: (key, value)
            }
        }
        return object
    }
}
