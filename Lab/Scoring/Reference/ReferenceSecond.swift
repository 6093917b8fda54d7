// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording

/// What the product says of the second before a report of the subscriber's, and the figures that it rests on.
package struct ReferenceSecond: Sendable, Codable, Equatable {
    /// When the report was taken, Unix ms by the clock of the recorded media.
    package var time: Double
    /// The score of the audio; `nil` if it has none.
    package var audioMOS: Double?
    /// The score of the video; `nil` if it has none.
    package var videoMOS: Double?
    /// How bad the diagnosis is.
    package var severity: String
    /// The diagnosis' cause.
    package var cause: String
    /// Share of the audio that was audibly concealed.
    package var concealment: Double?
    /// Share of the audio that is missing, by which it is scored: silence in a gap as well.
    package var missing: Double?
    /// How many times longer its gaps were than if packets had been lost independently.
    package var burstRatio: Double?
    /// Network loss of the audio, `0...1`.
    package var audioLoss: Double?
    /// Seconds in the jitter buffer.
    package var jitterBufferDelay: Double?
    /// Round trip time of the leg, in seconds.
    package var roundTripTime: Double?
    /// Of the audio, bps.
    package var audioBitrate: Double?
    /// Of the video, bps.
    package var videoBitrate: Double?
    /// Decoded size in pixels.
    package var width: Int?
    /// Decoded size in pixels.
    package var height: Int?
    /// Decoded frames a second.
    package var frameRate: Double?
    /// Time that video was frozen in the whole call, ms.
    package var frozen: Double?
    /// Height of the layer that should come.
    package var wantedHeight: Int?
    /// What the publisher says of its encoder.
    package var limitation: String?
    /// The publisher's diagnosis.
    package var publisherCause: String?

    init(
        _ record: RecordedReport, _ observation: SubscriberObservation, _ missing: MissingAudio?,
        maxAge: Double
    ) {
        time = record.time
        audioMOS = observation.audio?.mos
        videoMOS = observation.video?.mos
        severity = observation.diagnosis.severity.map { "\($0)" } ?? "none"
        cause = "\(observation.diagnosis.cause)"
        concealment = observation.audio?.concealment
        self.missing = missing?.share
        burstRatio = missing?.burstRatio
        audioLoss = observation.audio?.fractionLost
        jitterBufferDelay = observation.audio?.jitterBufferDelay
        roundTripTime = observation.audioDetails.roundTripTime
        audioBitrate = observation.audio?.bitrate
        videoBitrate = observation.video?.bitrate
        width = observation.video?.width
        height = observation.video?.height
        frameRate = observation.video?.frameRate
        frozen = observation.video?.totalFreezesDuration
        wantedHeight = record.remote?.leg?.value(youngerThan: maxAge)?.wantedLayer?.size?.height
        let publisher = record.remote?.publisher?.value(youngerThan: maxAge)
        limitation = publisher?.qualityLimitationReason.map { "\($0)" }
        publisherCause = publisher?.cause.map { "\($0)" }
    }

    /// The seconds of a recorded call, as the rules in force judge them.
    package static func seconds(
        _ records: some Sequence<RecordedReport>, _ configuration: QualityConfiguration
    ) -> [ReferenceSecond] {
        var replay = CallReplay(configuration: configuration)
        return records.compactMap { record in
            replay.handle(record)
            let views = replay.timeline.views
            guard record.peerConnection == Scenario.Party.bob.rawValue,
                let view = views.first(where: { $0.id.peerConnection == record.peerConnection }),
                case .subscriber(let observation)? = view.observations.last?.content
            else { return nil }
            return ReferenceSecond(
                record, observation, replay.missingAudio(of: record.peerConnection),
                maxAge: configuration.remoteMetricsMaxAge)
        }
    }
}
