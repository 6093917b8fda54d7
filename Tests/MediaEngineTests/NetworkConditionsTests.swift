// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Testing

@Suite struct NetworkConditionsTests {
    @Test("conditions are read by direction and name, and what is not mentioned is perfect")
    func reading() throws {
        let conditions = try NetworkConditions(parsing: "up:loss=5, delay=50; down:rate=500,queue_ms=200")
        var up = NetworkConditions.Link()
        up.loss = 5
        up.delay = 50
        var down = NetworkConditions.Link()
        down.rate = 500
        down.queue = 200
        #expect(conditions.up == up)
        #expect(conditions.down == down)
    }

    @Test("each condition can be set by its name and is there under it afterwards")
    func names() throws {
        var link = NetworkConditions.Link()
        for (index, key) in NetworkConditions.Link.keys.enumerated() where key != "outage" {
            try link.set(key, Double(index + 1))
        }
        try link.set("outage", 1)
        for (index, key) in NetworkConditions.Link.keys.enumerated() where key != "outage" {
            #expect(link.values[key] == Double(index + 1), "\(key)")
        }
        #expect(link.values["outage"] == 1)
        #expect(link.values.count == NetworkConditions.Link.keys.count)
        #expect(link.jitterCorrelation == 3 && link.rateSwing == 8 && link.rateSwingTime == 9)
        #expect(link.stall == 11 && link.stallInterval == 12)
    }

    @Test(
        "a text that is wrong is refused with what is wrong",
        arguments: [
            ("", "no conditions"), ("loss=5", "direction"), ("left:loss=5", "direction"),
            ("up:loss", "value"),
            ("up:loss=much", "not a number"), ("up:loss=101", "out of range"),
            ("up:delay=-1", "out of range"),
            ("up:speed=3", "no condition 'speed'"), ("up:loss=1;up:loss=2", "twice"),
            ("up:loss=nan", "out of range"), ("up:rate_swing=96", "out of range"),
        ])
    func refusing(text: String, part: String) {
        let error = #expect(throws: NetworkConditions.SyntaxError.self) {
            try NetworkConditions(parsing: text)
        }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test("conditions are the same again from their text and from their JSON, which say what is not perfect")
    func writing() throws {
        var conditions = NetworkConditions()
        #expect(conditions.text.isEmpty)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(conditions) == Data(#"{"down":{},"up":{}}"#.utf8))
        for _ in 0..<200 {
            for direction in NetworkConditions.Direction.allCases {
                var link = NetworkConditions.Link()
                for key in NetworkConditions.Link.keys.shuffled().prefix(.random(in: 0...13)) {
                    // In every condition's range, and exact in text.
                    try link.set(key, key == "outage" ? 1 : Double(Int.random(in: 4...360)) / 4)
                }
                conditions[direction] = link
            }
            #expect(
                try JSONDecoder().decode(NetworkConditions.self, from: JSONEncoder().encode(conditions))
                    == conditions, "\(conditions)")
            guard !conditions.text.isEmpty else { continue }
            #expect(try NetworkConditions(parsing: conditions.text) == conditions, "\(conditions.text)")
        }
    }

    @Test(
        "JSON that describes no conditions is refused, with what is wrong",
        arguments: [
            (#"{"up":{"loss":101}}"#, "out of range"), (#"{"down":{"speed":1}}"#, "no condition 'speed'"),
        ])
    func refusingJSON(json: String, part: String) {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(NetworkConditions.self, from: Data(json.utf8))
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains(part))
    }

    @Test("counters are added and subtracted one by one, and never go round")
    func counters() {
        var (first, second) = (NetworkCounters(), NetworkCounters())
        (first.packetsOffered, first.droppedByLoss) = (10, 1)
        (second.packetsOffered, second.bytesSent) = (4, .max)
        let sum = first + second
        #expect(sum.packetsOffered == 14 && sum.droppedByLoss == 1 && sum.bytesSent == .max)
        #expect((sum + second).bytesSent == .max)
        #expect(sum.since(second) == first)
        #expect(first.since(sum) == NetworkCounters())
    }

    @Test("a schedule says what holds at a time")
    func scheduleTimes() throws {
        let schedule = try ConditionSchedule(
            parsing: #"{"t":10,"dir":"up","loss":5}"# + "\n" + #"{"t":20,"dir":"up","loss":6}"#)
        #expect([0, 9.9, 10, 19, 20, 1e9].map { schedule.conditions(at: $0).up.loss } == [0, 0, 5, 5, 6, 6])
    }

    @Test("a schedule keeps what a line does not name, and ends an outage by itself")
    func schedule() throws {
        let schedule = try ConditionSchedule(
            parsing: """
                {"t":10,"dir":"up","loss":5}
                {"t":20,"dir":"down","outage":5}

                {"t":20,"signaling":false}
                {"t":25,"signaling":true}
                {"t":30,"dir":"up","loss":0,"delay":100}
                """)
        #expect(schedule.steps.map(\.time) == [10, 20, 25, 30])
        #expect(schedule.steps.map(\.conditions.up.loss) == [5, 5, 5, 0])
        #expect(schedule.steps.map(\.conditions.up.delay) == [0, 0, 0, 100])
        #expect(schedule.steps.map(\.conditions.down.isOut) == [false, true, false, false])
        #expect(schedule.steps.map(\.signaling) == [true, false, true, true])
    }

    @Test(
        "a line that is wrong is refused with its number",
        arguments: [
            "loss", "{\"dir\":\"up\",\"loss\":5}", "{\"t\":1}", "{\"t\":1,\"loss\":5}",
            "{\"t\":1,\"dir\":\"up\",\"loss\":\"5\"}",
            "{\"t\":1,\"dir\":\"up\",\"los\":5}", "{\"t\":-1,\"dir\":\"up\",\"loss\":5}",
            "{\"t\":1,\"dir\":\"up\",\"outage\":-5}",
        ])
    func badLine(line: String) {
        let text = "{\"t\":0,\"dir\":\"up\",\"loss\":1}\n" + line
        let error = #expect(throws: NetworkConditions.SyntaxError.self) {
            try ConditionSchedule(parsing: text)
        }
        #expect(error?.description.hasPrefix("line 2: ") == true, "\(String(describing: error))")
    }
}
