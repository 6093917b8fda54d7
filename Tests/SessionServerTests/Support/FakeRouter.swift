// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import RouterWire
import SessionCore

@testable import SessionServer

/// A router within the test, which answers every offer.
struct FakeRouter {
    /// A description of media as long as those of the real one.
    static let description: String = {
        let media = ["audio", "video"].map { kind in
            """
            m=\(kind) 9 UDP/TLS/RTP/SAVPF 111 96 97
            c=IN IP4 0.0.0.0
            a=ice-ufrag:W+6a
            a=ice-pwd:jkMndMAYG9pFMDwYjwK/yMZG
            a=fingerprint:sha-256 40:9D:F3:95:9A:CD:38:FC:B1:55:59:80:6B:54:8C:34:50:AA:CD:8A:24:A6:57:B6:D5:D9:C9
            a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
            a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
            a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
            a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
            a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
            """
        }
        let codecs = (96..<116).map { "a=rtpmap:\($0) VP8/90000\na=rtcp-fb:\($0) transport-cc" }
        let lines = ["v=0\no=- 1 2 IN IP4 127.0.0.1\ns=-\nt=0 0"] + media + codecs
        return lines.joined(separator: "\n").replacing("\n", with: "\r\n") + "\r\n"
    }()

    /// Attaches a router to a server for as long as `body` runs.
    static func attached(
        to server: TestServer, answer: String = "answer", _ body: () async throws -> Void
    ) async throws {
        let hub = server.server.hub
        let outlet = RouterOutlet {}
        let task = Task {
            for await line in outlet.lines {
                let command = try RouterCommand(line: line.readableBytesView)
                switch command {
                case .add(let leg):
                    await hub.handle(.router(.answer(.init(leg: leg.leg, answer: answer)), from: .first))
                case .offer(let leg):
                    await hub.handle(.router(.answer(.init(leg: leg.leg, answer: answer)), from: .first))
                default: break
                }
            }
        }
        defer { task.cancel() }
        await hub.routerIsReady(.first, outlet)
        try await body()
        await hub.routerIsLost(.first)
    }
}
