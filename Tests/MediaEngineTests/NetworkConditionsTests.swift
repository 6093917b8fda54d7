// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

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
