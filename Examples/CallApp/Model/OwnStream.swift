// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallQuality
import Observation
import Sightline

/// What this client publishes: its camera and microphone, and how the stream does.
@MainActor @Observable
final class OwnStream {
    let publisher: Publisher
    /// Diagnosis and figures.
    let quality: StreamModel<PublisherObservation>
    /// Whether there is a camera to switch.
    private(set) var hasVideo: Bool
    var isMicrophoneOn = true {
        didSet { publisher.publishAudio = isMicrophoneOn }
    }
    /// The camera still captures while it is off, so that it is back at once.
    var isCameraOn = true {
        didSet { publisher.publishVideo = isCameraOn }
    }
    /// What went wrong; `nil` while nothing is.
    private(set) var problem: String?
    /// It captures for as long as someone keeps it.
    @ObservationIgnored private let camera: Camera?

    private init(camera: Camera?, problem: String?) {
        var settings = PublisherSettings()
        settings.video = camera.map { .source($0.source) }
        // The others see on whose side a fault is.
        settings.senderStatsTrack = true
        publisher = Publisher(settings: settings)
        quality = StreamModel(publisher)
        hasVideo = camera != nil
        self.camera = camera
        self.problem = problem
        follow(publisher.events())
    }

    /// Starts the camera, which asks for permission; without one the stream is audio alone, and says why.
    static func make(_ engine: AppleWebRTCEngine, video: Bool) async -> OwnStream {
        guard video else {
            return OwnStream(camera: nil, problem: "By the network test, only audio is possible.")
        }
        let camera = Camera(engine)
        do {
            try await camera.start()
            return OwnStream(camera: camera, problem: nil)
        } catch {
            return OwnStream(camera: nil, problem: error.words)
        }
    }

    /// Publishes it, with permission for the microphone; without one nothing is published, and the reason is shown.
    func publish(in session: Session) async {
        do {
            try await MicrophoneSource.requestPermission()
            try await session.publish(publisher)
        } catch {
            problem = error.words
            await stop()
        }
    }

    /// Switches the camera off for good.
    func stop() async {
        hasVideo = false
        await camera?.stop()
    }

    private func follow(_ events: AsyncStream<PublisherLifeEvent>) {
        Task { [weak self] in
            for await event in events { self?.take(event) }
        }
    }

    private func take(_ event: PublisherLifeEvent) {
        switch event {
        case .mediaLost: problem = "Your media connection broke and is being brought back."
        case .mediaRestored: problem = nil
        case .didFailWithError(let error): problem = error.message
        default: break
        }
    }
}
