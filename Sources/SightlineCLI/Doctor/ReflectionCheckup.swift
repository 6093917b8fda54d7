// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Whether STUN and TURN servers answer, and whether clients are given the address that others see.
struct ReflectionCheckup {
    let findings: [CheckupFinding]

    /// - Parameter announced: What `--media-address` names.
    init(_ configuration: SessionServerConfiguration, announced: [String]) async {
        let urls = configuration.iceServers.flatMap(\.urls) + (configuration.turn?.urls ?? [])
        var findings: [CheckupFinding] = []
        var seen: String?
        for url in urls {
            guard let server = ICEServerAddress(url) else {
                findings.append(.init(.doubtful, "ICE server", "\(url): only UDP servers are checked"))
                continue
            }
            if let address = BindingRequest.send(to: server) {
                seen = seen ?? address
                findings.append(.init(.good, "ICE server", "\(url) answers"))
            } else {
                findings.append(
                    .init(
                        .bad, "ICE server",
                        "\(url) does not answer: look at its address, and at firewalls for UDP"))
            }
        }
        if configuration.turn == nil {
            findings.append(
                .init(
                    .doubtful, "TURN",
                    "none is configured: clients in networks without UDP cannot connect (--turn)"))
        }
        self.findings = findings + [Self.address(seen: seen, announced: announced)]
    }

    static func address(
        seen: String?, announced: [String], own: [LocalAddress] = LocalAddress.all()
    ) -> CheckupFinding {
        let subject = "NAT address"
        let outer = announced.map { String($0.prefix { $0 != "/" }) }
        let local = announced.compactMap {
            $0.contains("/") ? String($0.drop { $0 != "/" }.dropFirst()) : nil
        }
        if let foreign = local.first(where: { address in !own.contains { $0.text == address } }) {
            return .init(.bad, subject, "--media-address: \(foreign) is not an address of this machine")
        }
        if let seen {
            if outer.contains(seen) || own.contains(where: { $0.text == seen }) {
                return .init(.good, subject, "others see \(seen), and clients are given it")
            }
            return .init(
                .bad, subject,
                "the public address is \(seen), which clients are not given: --media-address \(seen)")
        }
        if !announced.isEmpty {
            return .init(.good, subject, "clients are given \(outer.joined(separator: ", "))")
        }
        if own.contains(where: { $0.isPublic }) {
            return .init(.good, subject, "this machine has a public address")
        }
        return .init(
            .doubtful, subject,
            "this machine has private addresses only: if clients come from the internet, give them the public one "
                + "(--media-address)")
    }
}

/// The UDP address of a STUN or TURN server.
struct ICEServerAddress: Equatable {
    var host: String
    var port: UInt16

    /// `nil` for one that is reached by TCP or TLS.
    init?(_ url: String) {
        let parts = url.split(separator: "?", maxSplits: 1)
        let transport = parts.count > 1 ? parts[1] : "transport=udp"
        guard let address = parts.first, transport == "transport=udp",
            let colon = address.firstIndex(of: ":"), ["stun", "turn"].contains(address[..<colon])
        else { return nil }
        let rest = address[address.index(after: colon)...]
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            port = UInt16(rest[end...].dropFirst(2)) ?? 3478
        } else {
            host = String(rest.prefix { $0 != ":" })
            port = UInt16(rest.dropFirst(host.count + 1)) ?? 3478
        }
        guard !host.isEmpty else { return nil }
    }
}

/// A STUN binding request (RFC 8489): asks a server under which address it sees us.
enum BindingRequest {
    private static let cookie: [UInt8] = [0x21, 0x12, 0xa4, 0x42]
    private static let tries = 3

    /// The address that the server sees; `nil` without an answer.
    static func send(to server: ICEServerAddress) -> String? {
        guard let address = NumericAddress(host: server.host, port: server.port, .datagram).first else {
            return nil
        }
        let socket = socket(address.family, address.type, 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        guard address.withPointer({ connect(socket, $0, $1) }) == 0 else { return nil }
        let id = (0..<12).map { _ in UInt8.random(in: .min ... .max) }
        for _ in 0..<tries {
            let request = [0, 1, 0, 0] + cookie + id
            guard sendto(socket, request, request.count, 0, nil, 0) == request.count else { continue }
            if let answer = receive(from: socket), let seen = mappedAddress(in: answer, id: id) {
                return seen
            }
        }
        return nil
    }

    private static func receive(from socket: Int32) -> [UInt8]? {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 700) > 0 else { return nil }
        var answer = [UInt8](repeating: 0, count: 1500)
        let count = recv(socket, &answer, answer.count, 0)
        return count > 0 ? Array(answer.prefix(count)) : nil
    }

    /// The XOR-MAPPED-ADDRESS of an answer to a request of this id; `nil` if it is none.
    static func mappedAddress(in answer: [UInt8], id: [UInt8]) -> String? {
        guard answer.count >= 20, answer[0..<2] == [1, 1], Array(answer[4..<20]) == cookie + id else {
            return nil
        }
        var index = 20
        while index + 4 <= answer.count {
            let kind = Int(answer[index]) << 8 | Int(answer[index + 1])
            let length = Int(answer[index + 2]) << 8 | Int(answer[index + 3])
            let value = index + 4
            guard value + length <= answer.count else { return nil }
            if kind == 0x0020 { return address(Array(answer[value..<value + length]), id: id) }
            index = value + (length + 3) / 4 * 4
        }
        return nil
    }

    private static func address(_ value: [UInt8], id: [UInt8]) -> String? {
        let isV6 = value.count == 20 && value[1] == 2
        guard isV6 || (value.count == 8 && value[1] == 1) else { return nil }
        let plain = zip(value.dropFirst(4), cookie + id).map { $0 ^ $1 }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isV6 ? AF_INET6 : AF_INET, plain, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
