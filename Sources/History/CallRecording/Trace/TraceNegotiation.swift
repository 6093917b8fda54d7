// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

extension TraceConfiguration {
    /// Most servers that are looked at.
    private static let serverLimit = 64

    /// Reads a configuration as it was given to the peer connection; `nil` if it cannot be read.
    init?(_ value: StatsValue) {
        self.init()
        let value = TraceReader.object(value)
        guard case .object = value else { return nil }
        isRelayOnly = value["iceTransportPolicy"]?.text == "relay" || value["iceTransports"]?.text == "relay"
        bundlePolicy = value["bundlePolicy"]?.text.map(TraceReader.short)
        alwaysNegotiatesDataChannels = value["alwaysNegotiateDataChannels"]?.flag
        guard case .array(let list)? = value["iceServers"] else { return }
        servers = list.count
        for server in list.prefix(Self.serverLimit) {
            for url in Self.urls(server) { note(TraceServerURL(url)) }
        }
    }

    private static func urls(_ server: StatsValue) -> [String] {
        guard let urls = server["urls"] ?? server["url"] else { return server.text.map { [$0] } ?? [] }
        if case .array(let list) = urls { return list.prefix(serverLimit).compactMap(\.text) }
        return urls.text.map { [$0] } ?? []
    }

    private mutating func note(_ url: TraceServerURL) {
        switch (url.scheme, url.isOverTCP) {
        case ("stun", _), ("stuns", _): hasSTUN = true
        case ("turns", _): hasTURNOverTLS = true
        case ("turn", true): hasTURNOverTCP = true
        case ("turn", false): hasTURNOverUDP = true
        default: break
        }
    }
}

/// A server's address, by what it says of how the server is reached.
struct TraceServerURL {
    let scheme: String
    let isOverTCP: Bool

    init(_ url: String) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        self.scheme = ["stun", "stuns", "turn", "turns"].contains(scheme) ? scheme : ""
        isOverTCP = scheme == "turns" || url.lowercased().contains("transport=tcp")
    }
}

extension TraceCandidate {
    /// Reads a candidate: an object with its line, the text of one, or names and values in one text.
    ///
    /// `nil` for the end of candidates, and for what is none.
    init?(_ value: StatsValue) {
        let value = TraceReader.object(value)
        let line = value["candidate"]?.text ?? value.text ?? ""
        guard let start = line.firstRange(of: "candidate:") else { return nil }
        let words = line[start.upperBound...].cut(toBytes: 1000).split(whereSeparator: {
            $0 == " " || $0 == ","
        })
        guard words.count >= 8, let place = words.firstIndex(of: "typ"), words.indices.contains(place + 1)
        else {
            return nil
        }
        let type = CandidateStats.CandidateType(rawValue: words[place + 1].cut(toBytes: 16))
        self.init(
            type: type, transport: words[2].lowercased() == "tcp" ? "tcp" : "udp",
            isNameHidden: words[4].hasSuffix(".local"))
        guard type == .relay else { return }
        let said = value["relayProtocol"]?.text ?? Self.text(after: "relayProtocol: ", in: line)
        relayProtocol = said.map { .init(rawValue: TraceReader.short($0)) } ?? Self.relayProtocol(words[3])
    }

    /// Chromium says in a relayed candidate's priority how the relay is reached.
    private static func relayProtocol(_ priority: Substring) -> CandidateStats.RelayProtocol? {
        guard let priority = UInt32(priority) else { return nil }
        return switch priority >> 24 {
        case 2: .udp
        case 1: .tcp
        case 0: .tls
        default: nil
        }
    }

    private static func text(after name: String, in line: String) -> String? {
        line.firstRange(of: name).map { String(line[$0.upperBound...].prefix { $0 != "," && $0 != " " }) }
    }
}

extension TraceCandidateError {
    /// Reads an error: an object, or lines of names and values.
    init?(_ value: StatsValue) {
        let value = TraceReader.object(value)
        let text = value.text ?? ""
        let said = TraceReader.whole(value["errorCode"] ?? value["error_code"])
        guard let code = said ?? Self.member("error_code", of: text).flatMap({ Int($0) }) else { return nil }
        let url = value["url"]?.text ?? Self.member("url", of: text)
        let server = url.map { TraceServerURL($0) }
        self.init(code: code, scheme: server?.scheme, isOverTCP: server?.isOverTCP ?? false)
    }

    /// `url: stun:…, address: …, error_code: 701`, on one line or several.
    private static func member(_ name: String, of text: String) -> String? {
        text.firstRange(of: "\(name): ").map { place in
            String(text[place.upperBound...].prefix { $0 != "\n" && $0 != "," && $0 != " " })
        }
    }
}

extension TraceDescription {
    /// Reads a description: an object, the text of one, `type: …, sdp: …`, or nothing where the browser makes it.
    init(_ value: StatsValue, isLocal: Bool, call: String?) {
        let value = TraceReader.object(value)
        let text = value.text ?? ""
        let sdp = value["sdp"]?.text ?? text.firstRange(of: "sdp: ").map { String(text[$0.upperBound...]) }
        let typed = text.firstRange(of: "type: ").map { String(text[$0.upperBound...].prefix { $0 != "," }) }
        self.init(
            isLocal: isLocal, type: (value["type"]?.text ?? typed).map(TraceReader.short),
            repeatedLines: sdp.map(Self.repeatedLines) ?? 0, isICELite: sdp.map { $0.contains("a=ice-lite") },
            call: call)
        candidates = sdp.map(Self.candidates) ?? []
    }

    private static func candidates(_ sdp: String) -> [TraceCandidate] {
        let lines = sdp.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("a=candidate:") }
        return lines.prefix(candidateLimit).compactMap { TraceCandidate(.string(String($0))) }
    }

    private static let candidateLimit = 16

    /// Attributes that a section has twice, word for word.
    private static func repeatedLines(_ sdp: String) -> Int {
        var seen: Set<Substring> = []
        var count = 0
        for line in sdp.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("m=") { seen.removeAll(keepingCapacity: true) }
            if line.hasPrefix("a="), !seen.insert(line).inserted { count += 1 }
        }
        return count
    }
}
