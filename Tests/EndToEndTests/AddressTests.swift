// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import NIOSignaling
import SessionServer
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Calls where there is nothing but IPv6.
    @Suite(.timeLimit(.minutes(2))) struct AddressTests {
        @Test(
            "with a server on ::1 a call takes IPv6, its media and its signalling",
            .enabled(if: hasIPv6, "there is no ::1 here"))
        func ipv6() async throws {
            let harness = try await CallHarness(change: { $0.host = "::1" })
            #expect(harness.url.hasPrefix("http://[::1]:"))
            let call = try await Call(harness)
            _ = try await call.publisher.statistics { ($0.first?.video?.packets ?? 0) > 20 }
            let report = try #require(try await call.publisher.rtcStatsReport().first)
            let addresses = try selectedAddresses(report.jsonArrayOfReports)
            // Of whichever of the machine's own addresses; they are all on it.
            #expect(addresses.count == 2 && addresses.allSatisfy { $0.contains(":") }, "\(addresses)")
            await call.end()
            try await harness.close()
        }

        @Test("media take the ports that they may, also where clients are given another address")
        func portsAndAddress() async throws {
            let harness = try await CallHarness(change: {
                $0.router?.arguments += [
                    "--media-ports", "42100-42115", "--media-address", "127.0.0.77/127.0.0.1",
                    "--media-address", "127.0.0.77",
                ]
            })
            let call = try await Call(harness)
            _ = try await call.publisher.statistics { ($0.first?.video?.packets ?? 0) > 20 }
            let report = try #require(try await call.publisher.rtcStatsReport().first)
            let objects = try objects(report.jsonArrayOfReports)
            let remote = objects.filter { $0["type"] as? String == "remote-candidate" }
            let ports = remote.compactMap { $0["port"] as? Int }
            #expect(!ports.isEmpty && ports.allSatisfy((42_100...42_115).contains), "\(ports)")
            await call.end()
            try await harness.close()
        }

        private func objects(_ json: String) throws -> [[String: Any]] {
            try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        }

        /// The addresses of both ends of the pair that media takes.
        private func selectedAddresses(_ json: String) throws -> [String] {
            let objects = try objects(json)
            let byId = Dictionary(objects.map { ($0["id"] as? String ?? "", $0) }) { first, _ in first }
            let transport = try #require(objects.first { $0["type"] as? String == "transport" })
            let pair = try #require((transport["selectedCandidatePairId"] as? String).flatMap { byId[$0] })
            return ["localCandidateId", "remoteCandidateId"].compactMap { end in
                (pair[end] as? String).flatMap { byId[$0]?["address"] as? String }
            }
        }

        private static var hasIPv6: Bool {
            let socket = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
            guard socket >= 0 else { return false }
            defer { Glibc.close(socket) }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(socket, pointer, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
                }
            }
        }
    }
}
