// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import LinkEmulation
import MediaEngine
import Testing

@testable import LineEmulation

@Suite struct AccessProfileTests {
    @Test("each profile has a name of its own, says what it stands on, and can be set by a schedule")
    func names() throws {
        let profiles = AccessProfile.choices
        #expect(Set(profiles.map(\.name)).count == profiles.count)
        for profile in profiles {
            #expect(AccessProfile.named(profile.name) == profile)
            #expect(!profile.summary.isEmpty && !profile.basis.isEmpty)
            for direction in NetworkConditions.Direction.allCases {
                var copy = NetworkConditions.Link()
                for (key, value) in profile.conditions[direction].values { try copy.set(key, value) }
                #expect(copy == profile.conditions[direction], "\(profile.name) \(direction)")
            }
        }
    }

    @Test("what else uses a line comes and goes within its times")
    func crossTraffic() {
        for traffic in AccessProfile.choices.flatMap(\.crossTraffic) {
            #expect(traffic.start >= 0 && traffic.duration > 0 && traffic.pause ?? 1 > 0)
        }
    }

    @Test("what is fine has to be asked for")
    func fine() {
        #expect(AccessProfile.fine.count == 4)
        for profile in AccessProfile.fine { #expect(!AccessProfile.all.contains(profile)) }
    }

    @Test("what is fine does less to a call than may be named", arguments: AccessProfile.fine)
    func fineLinks(_ profile: AccessProfile) {
        for direction in NetworkConditions.Direction.allCases {
            let seconds = Self.seconds(of: profile.conditions[direction])
            let lost = seconds.reduce(0) { $0 + $1.udp.dropped }
            let offered = seconds.reduce(0) { $0 + $1.udp.offered }
            #expect((lost > 0) == (profile == .fineLoss) && Double(lost) < 0.006 * Double(offered))
            // ITU-T Y.1541; the round trip is twice that, where G.114 has 150 ms one-way.
            #expect(seconds.allSatisfy { $0.spread < 10 && $0.queue.mean < 10 && $0.delay.mean < 75 })
        }
    }

    @Test("bursts that no one sees have the time they need, and leave most of the line to the call")
    func bursts() {
        for profile in AccessProfile.fine {
            for traffic in profile.crossTraffic {
                let bits = Double(traffic.bytes ?? .max) * 8
                let rate = profile.conditions[traffic.direction].rate ?? 0
                #expect(bits / 1_000 < 0.2 * rate * traffic.duration)
                #expect((30...60).contains(traffic.duration + (traffic.pause ?? 0)))
            }
        }
    }

    /// What a link does to two minutes of 120 packets a second, in virtual time.
    private static func seconds(of conditions: NetworkConditions.Link) -> [LineSecond] {
        var link = EmulatedLink(seed: 1)
        var log = LineLog(start: 0)
        link.set(sl_link_settings(conditions))
        for packet in 0..<14_400 {
            let now = Int64(packet) * 1_000_000 / 120
            let fate = link.offer(bytes: 800, at: now)
            log.note(.udp, bytes: 800, at: now, base: conditions.delay, fate, link.encounter)
        }
        return log.finish(at: 120_000_000)
    }
}
