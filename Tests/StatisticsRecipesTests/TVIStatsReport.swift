// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import StatisticsRecipes

/// Twilio's report, with the members that its reference documents.
struct TVIStatsReport: Decodable {
    struct Dimensions: Decodable {
        var width: Int32
        var height: Int32
    }

    struct LocalTrackStats: Decodable {
        var ssrc: String
        var codec: String
        var timestamp: Double
        var packetsLost: UInt
        var packetsSent: UInt
        var bytesSent: Int64
        var roundTripTime: Int64
        var jitter: UInt?
        var dimensions: Dimensions?
        var frameRate: UInt?
    }

    struct RemoteTrackStats: Decodable {
        var ssrc: String
        var codec: String
        var timestamp: Double
        var packetsLost: UInt
        var packetsReceived: UInt
        var bytesReceived: Int64
        var jitter: UInt?
        var dimensions: Dimensions?
        var frameRate: UInt?
    }

    struct IceCandidatePairStats: Decodable {
        var activeCandidatePair: Bool
        var currentRoundTripTime: Double
        var availableOutgoingBitrate: Double
        var bytesSent: UInt64
        var bytesReceived: UInt64
    }

    var localAudioTrackStats: [LocalTrackStats]
    var localVideoTrackStats: [LocalTrackStats]
    var remoteAudioTrackStats: [RemoteTrackStats]
    var remoteVideoTrackStats: [RemoteTrackStats]
    var iceCandidatePairStats: [IceCandidatePairStats]
}

/// As an app takes it over.
extension TwilioReport {
    init(_ report: TVIStatsReport) {
        self.init(
            localAudioTrackStats: report.localAudioTrackStats.map(Track.init),
            localVideoTrackStats: report.localVideoTrackStats.map(Track.init),
            remoteAudioTrackStats: report.remoteAudioTrackStats.map(Track.init),
            remoteVideoTrackStats: report.remoteVideoTrackStats.map(Track.init),
            activeCandidatePair: report.iceCandidatePairStats.first(where: \.activeCandidatePair).map {
                CandidatePair(
                    currentRoundTripTime: $0.currentRoundTripTime,
                    availableOutgoingBitrate: $0.availableOutgoingBitrate, bytesSent: $0.bytesSent,
                    bytesReceived: $0.bytesReceived)
            })
    }
}

extension TwilioReport.Track {
    fileprivate init(_ track: TVIStatsReport.LocalTrackStats) {
        self.init(
            ssrc: track.ssrc, timestamp: track.timestamp, codec: track.codec,
            packetsLost: Int64(track.packetsLost),
            packets: UInt64(track.packetsSent), bytes: UInt64(track.bytesSent),
            roundTripTime: Double(track.roundTripTime), jitter: track.jitter.map(Double.init),
            width: track.dimensions.map { UInt64($0.width) },
            height: track.dimensions.map { UInt64($0.height) },
            frameRate: track.frameRate.map(Double.init))
    }

    fileprivate init(_ track: TVIStatsReport.RemoteTrackStats) {
        self.init(
            ssrc: track.ssrc, timestamp: track.timestamp, codec: track.codec,
            packetsLost: Int64(track.packetsLost),
            packets: UInt64(track.packetsReceived), bytes: UInt64(track.bytesReceived),
            jitter: track.jitter.map(Double.init), width: track.dimensions.map { UInt64($0.width) },
            height: track.dimensions.map { UInt64($0.height) }, frameRate: track.frameRate.map(Double.init))
    }
}
