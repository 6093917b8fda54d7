// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine

/// ICE servers in C's form, valid as long as this and its strings.
final class RawICEServers {
    private let urls: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>
    private let servers: UnsafeMutableBufferPointer<sl_ice_server>

    init(_ configured: [ICEServer], _ strings: CStrings) {
        let all = configured.flatMap { $0.urls.map(strings.copy) }
        urls = .allocate(capacity: all.count)
        _ = urls.initialize(from: all)
        servers = .allocate(capacity: configured.count)
        var start = 0
        for (index, server) in configured.enumerated() {
            let first = urls.baseAddress.map { UnsafePointer($0 + start) }
            let raw = sl_ice_server(
                urls: first, url_count: server.urls.count, username: strings.copy(server.username),
                password: strings.copy(server.credential))
            servers.initializeElement(at: index, to: raw)
            start += server.urls.count
        }
    }

    deinit {
        urls.deallocate()
        servers.deallocate()
    }

    func withServers<Result>(
        _ body: (UnsafePointer<sl_ice_server>?, Int) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(servers.baseAddress.map { UnsafePointer($0) }, servers.count)
        }
    }
}
