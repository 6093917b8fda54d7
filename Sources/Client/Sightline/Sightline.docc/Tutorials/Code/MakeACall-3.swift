// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LibWebRTC
import NIOSignaling
import Sightline

func call(url: String, token: String) async throws {
    var configuration = SessionConfiguration()
    configuration.isNetworkQualityEnabled = true
    let session = Session(
        url: url, token: token, engine: try LibWebRTCEngine(), signaling: NIOSignalingTransport(),
        configuration: configuration)
    let events = session.events()
    try await session.connect()
    let publisher = Publisher()
    try await session.publish(publisher)
    for await event in events {
        switch event {
        case .callDidEmitCallQualityEvent(let event): print("warning:", event)
        case .networkQualityLevelChanged(let connection, let stats):
            print(connection.id, "is at", stats.level)
        default: break
        }
    }
}
