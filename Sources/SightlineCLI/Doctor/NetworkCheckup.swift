// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Whether the server's port and the media's can be taken.
struct NetworkCheckup {
    let findings: [CheckupFinding]

    init(_ configuration: SessionServerConfiguration, ports: ClosedRange<UInt16>?) {
        findings = [Self.port(configuration), Self.media(ports)]
    }

    private static func port(_ configuration: SessionServerConfiguration) -> CheckupFinding {
        let place = "\(configuration.host) port \(configuration.port)"
        let host = configuration.host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        switch LocalPort.take(host, UInt16(clamping: configuration.port), .stream) {
        case 0: return .init(.good, "port", "\(place) is free")
        case EADDRINUSE:
            return .init(
                .doubtful, "port",
                "\(place) is in use: by the server itself, if it runs, or choose another --port")
        case EACCES:
            return .init(
                .bad, "port",
                "\(place) may not be taken: give the service CAP_NET_BIND_SERVICE, or a --port over 1023")
        case EADDRNOTAVAIL:
            return .init(.bad, "port", "\(host) is not an address of this machine: see --host")
        case let code:
            return .init(.bad, "port", "\(place) cannot be taken: \(String(cString: strerror(code)))")
        }
    }

    private static func media(_ ports: ClosedRange<UInt16>?) -> CheckupFinding {
        guard let ports else {
            return .init(
                .doubtful, "media ports",
                "any UDP port: behind a firewall choose a range (--media-ports 40000-40999) and let it through"
            )
        }
        let taken = ports.filter { LocalPort.take("0.0.0.0", $0, .datagram) != 0 }.count
        let range = "UDP \(ports.lowerBound) to \(ports.upperBound)"
        if taken == ports.count {
            return .init(.bad, "media ports", "\(range): all are in use; choose others (--media-ports)")
        }
        let least = 100
        guard ports.count - taken >= least else {
            return .init(
                .doubtful, "media ports",
                "\(range): \(ports.count - taken) are free, one for each publication and subscription; \(least) are few"
            )
        }
        return .init(.good, "media ports", "\(range): \(ports.count - taken) of \(ports.count) are free")
    }
}

/// A port of this machine.
enum LocalPort {
    enum Kind { case stream, datagram }

    /// Takes a port for a moment; 0, or the error's number.
    static func take(_ host: String, _ port: UInt16, _ kind: Kind) -> Int32 {
        guard let address = NumericAddress(host: host, port: port, kind).first else { return EADDRNOTAVAIL }
        let socket = socket(address.family, address.type, 0)
        guard socket >= 0 else { return errno }
        defer { close(socket) }
        var yes: Int32 = 1
        if kind == .stream {
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        return address.withPointer { bind(socket, $0, $1) } == 0 ? 0 : errno
    }
}

/// The addresses of a host and port.
struct NumericAddress: Sequence {
    struct Element {
        let family: Int32
        let type: Int32
        fileprivate let bytes: [UInt8]

        func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
            // Aligned as the structure wants it.
            var storage = sockaddr_storage()
            return withUnsafeMutableBytes(of: &storage) { raw in
                raw.copyBytes(from: bytes.prefix(raw.count))
                return body(
                    UnsafeRawPointer(raw.baseAddress.unsafelyUnwrapped).assumingMemoryBound(
                        to: sockaddr.self),
                    socklen_t(bytes.count))
            }
        }
    }

    private let all: [Element]

    init(host: String, port: UInt16, _ kind: LocalPort.Kind) {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        #else
        hints.ai_socktype = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else {
            all = []
            return
        }
        defer { freeaddrinfo(list) }
        var found: [Element] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
                found.append(Element(family: entry.ai_family, type: entry.ai_socktype, bytes: bytes))
            }
            next = entry.ai_next
        }
        all = found
    }

    func makeIterator() -> some IteratorProtocol<Element> { all.makeIterator() }
    var first: Element? { all.first }
}
