// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// Shows each simulcast layer to a plain receiver as a media section of its own.
///
/// libwebrtc does not receive simulcast. So each layer of the offer becomes a section whose mid is the layer's rid,
/// and the header extension that carries the rid is declared as the one that carries the mid.
final class SimulcastRewrite: Sendable {
    private struct Section {
        var lines: [String]

        func value(_ prefix: String) -> String? {
            lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        func `extension`(_ uri: String) -> String? {
            lines.first { $0.hasPrefix("a=extmap:") && $0.hasSuffix(" " + uri) }
                .map { String($0.dropFirst(9).prefix { $0.isNumber }) }
        }
    }

    private struct Learnt: Sendable {
        var mid = "", midExtension = "", ridExtension = ""
        var rids: [String] = []
    }

    private static let midURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
    private static let ridURI = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    private static let repairedURI = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
    private let learnt = Mutex(Learnt())

    private static func split(_ sdp: String) -> (head: [String], section: Section) {
        let lines = sdp.split(whereSeparator: \.isNewline).map(String.init)
        let start = lines.firstIndex { $0.hasPrefix("m=") } ?? lines.endIndex
        return (Array(lines[..<start]), Section(lines: Array(lines[start...])))
    }

    /// For an offer of one video section.
    func toReceiver(_ sdp: String) -> String {
        let (head, section) = Self.split(sdp)
        let known = Learnt(
            mid: section.value("a=mid:") ?? "", midExtension: section.extension(Self.midURI) ?? "",
            ridExtension: section.extension(Self.ridURI) ?? "",
            rids: section.lines.filter { $0.hasPrefix("a=rid:") }.map {
                String($0.dropFirst(6).prefix { $0 != " " })
            })
        learnt.withLock { $0 = known }
        let dropped = ["a=rid:", "a=simulcast:", "a=ssrc", "a=msid:"]
        let common = section.lines.filter { line in
            !dropped.contains { line.hasPrefix($0) } && !line.hasSuffix(" " + Self.midURI)
                && !line.hasSuffix(" " + Self.repairedURI)
        }
        let sections = known.rids.flatMap { rid in
            common.map { line in
                if line.hasPrefix("a=mid:") { return "a=mid:\(rid)" }
                return line.hasSuffix(" " + Self.ridURI)
                    ? "a=extmap:\(known.ridExtension) \(Self.midURI)" : line
            }
        }
        return join(head, mids: known.rids, sections)
    }

    /// For the answer to it.
    func toSender(_ sdp: String) -> String {
        let known = learnt.withLock { $0 }
        let (head, all) = Self.split(sdp)
        let end = all.lines.dropFirst().firstIndex { $0.hasPrefix("m=") } ?? all.lines.endIndex
        let section = all.lines[..<end].map { line in
            if line.hasPrefix("a=mid:") { return "a=mid:\(known.mid)" }
            return line.hasSuffix(" " + Self.midURI) ? "a=extmap:\(known.midExtension) \(Self.midURI)" : line
        }
        let layers =
            ["a=extmap:\(known.ridExtension) \(Self.ridURI)"] + known.rids.map { "a=rid:\($0) recv" }
            + ["a=simulcast:recv " + known.rids.joined(separator: ";")]
        return join(head, mids: [known.mid], section + layers)
    }

    private func join(_ head: [String], mids: [String], _ sections: [String]) -> String {
        let bundle = "a=group:BUNDLE " + mids.joined(separator: " ")
        let lines = head.map { $0.hasPrefix("a=group:BUNDLE") ? bundle : $0 } + sections
        return lines.map { $0 + "\r\n" }.joined()
    }
}
