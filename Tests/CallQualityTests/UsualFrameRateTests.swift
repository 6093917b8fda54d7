// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("How many frames are usual")
struct UsualFrameRateTests {
    /// The share that is shown of what is usual, after a minute of 30 frames a second and then some time of 15.
    private static func share(after seconds: Int, isWell: Bool, interval: Double = 1) -> Double? {
        var experience = ReceptionExperience(rules: ExperienceRules())
        var previous: Double?
        for (duration, rate) in [(60, 30.0), (seconds, 15)] {
            for _ in 0..<Int(Double(duration) / interval) {
                let time = (previous ?? 0) + interval * 1000
                experience.handle(
                    ReceptionExperience.Input(
                        tick: Tick(time: time, previous: previous), frames: rate * interval,
                        isPublisherWell: rate == 30 || isWell, hasRoom: true, jitter: (nil, nil)))
                previous = time
            }
        }
        return experience.frameRate
    }

    @Test("What was once, and nothing prevents, is usual no more", arguments: [1.0, 5, 10])
    func forgotten(interval: Double) {
        #expect(Self.share(after: 180, isWell: true, interval: interval) ?? 0 > 0.9)
    }

    @Test("What was a moment ago is usual still")
    func recent() {
        #expect(Self.share(after: 10, isWell: true) ?? 1 < 0.7)
    }

    @Test("While something holds the publisher back, what is usual stays, however long it does")
    func kept() {
        #expect(Self.share(after: 600, isWell: false) ?? 1 < 0.55)
    }

    @Test("A camera that gave more frames in daylight has none missing for want of a processor's time later")
    func evening() {
        var scenario = CallScenario.subscriber()
        scenario.remote.publisher = Aged(PublisherMetrics(cause: Diagnosis.Cause.none), age: 0.5)
        scenario.run(.init(20))
        for index in scenario.call.received.indices { scenario.call.received[index].frameRate /= 2 }
        scenario.run(.init(300))
        scenario.remote.publisher?.value.cause = .cpu
        scenario.run(.init(10))
        #expect(scenario.subscribed.suffix(10).allSatisfy { $0.diagnosis.cause == Diagnosis.Cause.none })
    }
}
