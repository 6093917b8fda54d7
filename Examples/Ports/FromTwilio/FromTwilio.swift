// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// A room with network quality levels, as apps for Twilio Video have it, ported.
///
///     FromTwilio URL TOKEN [SECONDS]
///
/// Each comment names what stands there in an app for Twilio.
@main
struct FromTwilio {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: FromTwilio URL TOKEN [SECONDS]")
            exit(64)
        }
        var configuration = SessionConfiguration()
        // ConnectOptions: isNetworkQualityEnabled, networkQualityConfiguration(localVerbosity:remoteVerbosity:)
        configuration.networkQualityConfiguration = .init(local: .detailed, remote: .minimal)
        let room = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport(), configuration: configuration)
        let listener = RoomListener()
        room.delegate = listener
        // TwilioVideoSDK.connect(options:delegate:)
        try await room.connect()
        // localParticipant.publishVideoTrack(_:), publishAudioTrack(_:): a stream has both.
        try await room.publish(Publisher())
        try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
        // localParticipant.networkQualityLevel, at any time
        print("at the end:", room.networkQualityLevel.rawValue)
        await room.disconnect()
    }
}

final class RoomListener: SessionDelegate, Sendable {
    // roomDidConnect(room:)
    func sessionDidConnect(_ session: Session) { print("in the room") }

    // participantDidConnect(room:participant:)
    func session(_ session: Session, connectionCreated connection: Connection) {
        print("\(connection.name ?? connection.connectionId) is here")
    }

    // localParticipantNetworkQualityLevelDidChange and remoteParticipantNetworkQualityLevelDidChange in one: whose it is
    // says the connection.
    func session(
        _ session: Session, networkQualityLevelChanged stats: NetworkQualityStats, of connection: Connection
    ) {
        let name = connection == session.connection ? "local" : connection.name ?? connection.connectionId
        print("\(name): level \(stats.level.rawValue)\(stats.isIdle ? ", idle" : "")")
        // networkQualityStats, by the verbosity; nil below it.
        if let latency = stats.video?.send?.latency, let time = latency.rtt {
            print(
                "\(name): round trip time of sent video \(Int(time * 1000)) ms, level \(latency.level.rawValue)"
            )
        }
    }

    // roomIsReconnecting(room:error:), roomDidReconnect(room:)
    func sessionDidBeginReconnecting(_ session: Session) { print("reconnecting") }
    func sessionDidReconnect(_ session: Session) { print("reconnected") }
}
