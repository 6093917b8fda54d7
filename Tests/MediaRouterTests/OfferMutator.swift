// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// Damages sample offers as text gets damaged, and changes them as a client does that negotiates again, or as none ever would.
struct OfferMutator {
    private var random: SeededRandom
    private static let samples: [(Bool, String)] = [
        (true, SampleOffer.simulcastVP8), (true, SampleOffer.singleVP8), (true, SampleOffer.singleH264),
        (false, SampleOffer.receiving),
    ]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func sample() -> (publisher: Bool, offer: String) {
        Self.samples[random.next(Self.samples.count)]
    }

    mutating func next() -> (publisher: Bool, offer: String) {
        let (publisher, sample) = sample()
        return (publisher, mutate(sample))
    }

    mutating func mutate(_ text: String) -> String {
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
        for _ in 0..<(1 + random.next(4)) where !lines.isEmpty {
            change(&lines)
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\r\n")
    }

    private mutating func change(_ lines: inout [[UInt8]]) {
        let index = random.next(lines.count)
        switch random.next(8) {
        case 0: lines.remove(at: index)
        case 1: lines.insert(lines[index], at: random.next(lines.count))
        case 2: lines.swapAt(index, random.next(lines.count))
        case 3: lines[index] = Array(lines[index].prefix(random.next(lines[index].count + 1)))
        case 4: lines[index].insert(UInt8(random.next(256)), at: random.next(lines[index].count + 1))
        case 5 where !lines[index].isEmpty:
            lines[index][random.next(lines[index].count)] = UInt8(32 + random.next(95))
        case 6: lines[index] += Array(repeating: UInt8(48 + random.next(10)), count: random.next(40))
        default:
            lines[index] = Array(String(decoding: lines[index], as: UTF8.self).replacing("1", with: "9").utf8)
        }
    }

    /// What an offer says of a section or of the connection, said otherwise: well-formed where the first was.
    mutating func renegotiate(_ text: String) -> String {
        var sections = text.components(separatedBy: "\r\nm=")
        for _ in 0..<(1 + random.next(3)) {
            let index = random.next(sections.count)
            if index > 0 || random.next(3) == 0 { restate(&sections, index) } else { regroup(&sections[0]) }
        }
        let whole = sections.joined(separator: "\r\nm=")
        return random.next(8) == 0 ? mutate(whole) : whole
    }

    private mutating func regroup(_ session: inout String) {
        let groups = ["0 1", "1 0", "0", "1", "", "2", "0 0"]
        session = session.replacing(
            /a=group:BUNDLE[^\r]*/, with: "a=group:BUNDLE \(groups[random.next(groups.count)])")
    }

    private mutating func restate(_ sections: inout [String], _ index: Int) {
        let section = sections[index]
        func replace(_ pattern: some RegexComponent, _ with: String) {
            sections[index].replace(pattern, with: with)
        }
        switch random.next(20) {
        case 0: replace(#/^(audio|video) \d+/#, section.hasPrefix("audio") ? "audio 0" : "video 0")
        case 1:
            let directions = ["sendonly", "recvonly", "sendrecv", "inactive"]
            replace(/a=(sendonly|recvonly|sendrecv|inactive)/, "a=" + directions[random.next(4)])
        case 2: replace(/a=ssrc[^\n]*\n/, "")
        case 3: replace(/a=ssrc:\d+/, "a=ssrc:\(1000 + random.next(4))")
        case 4: sections[index] += "a=ssrc:\(1000 + random.next(4)) cname:x\r\n"
        case 5: replace(/FID \d+ \d+/, "FID \(1000 + random.next(4)) \(1000 + random.next(4))")
        case 6: sections.swapAt(index, random.next(sections.count))
        case 7: sections.remove(at: index)
        case 8: sections.append(sections[random.next(sections.count)])
        case 9: replace(/a=mid:[^\r]*/, "a=mid:\(random.next(4))")
        case 10: replace(/a=extmap:\d+/, "a=extmap:\(1 + random.next(14))")
        case 11:
            replace(
                /a=ice-(ufrag|pwd):/,
                "a=ice-\(random.next(2) == 0 ? "ufrag" : "pwd"):aaaaaaaaaaaaaaaaaaaaaaaa")
        case 12:
            let setups = ["actpass", "active", "passive", "holdconn"]
            replace(/a=setup:[a-z]*/, "a=setup:" + setups[random.next(4)])
        case 13: replace(/apt=\d+/, "apt=\(95 + random.next(12))")
        case 17, 18: move(&sections[index], to: [64, 72, 95, 96, 97, 111, 119, 127][random.next(8)])
        case 14: replace(/a=rtpmap:\d+/, "a=rtpmap:\(95 + random.next(20))")
        case 15:
            replace(
                /a=fmtp:\d+ [^\r]*/,
                "a=fmtp:\(95 + random.next(12)) profile-level-id=64001f;stereo=1;packetization-mode=1")
        case 16: replace(/a=rtcp-fb:\d+ [^\r]*\r\n/, "")
        default: replace(/a=rtcp-mux\r\n/, random.next(2) == 0 ? "" : "a=rtcp-mux\r\na=rtcp-mux-only\r\n")
        }
        if sections.isEmpty { sections = [section] }
    }

    /// Gives a section's first payload type another number, wherever it is named.
    private func move(_ section: inout String, to number: Int) {
        guard let old = section.firstMatch(of: #/SAVPF (\d+)/#)?.1 else { return }
        for name in ["SAVPF ", "a=rtpmap:", "a=fmtp:", "a=rtcp-fb:", "apt="] {
            section = section.replacing("\(name)\(old)", with: "\(name)\(number)")
        }
    }
}
