// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LibWebRTC
import NIOSignaling
import Sightline

func call(url: String, token: String) async throws {
    let session = Session(
        url: url, token: token, engine: try LibWebRTCEngine(), signaling: NIOSignalingTransport())
    try await session.connect()
}
