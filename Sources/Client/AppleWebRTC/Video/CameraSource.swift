// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC) && canImport(AVFoundation)
import AVFoundation
import CallModel
import MediaEngine

/// A camera that starts by itself and stops with its last owner: what a publisher sends by default.
final class CameraSource: VideoSource {
    private let camera: Camera

    /// - Throws: `MediaEngineError` with code `unsupported` if the user has forbidden it.
    init(_ engine: AppleWebRTCEngine, size: VideoSize, frameRate: Double) throws {
        switch AVCaptureDevice.authorizationStatus(for: .video) {
        case .denied, .restricted: throw Camera.forbidden
        default: break
        }
        let camera = Camera(engine, size: size, frameRate: frameRate)
        self.camera = camera
        // An app that has to know that the user refuses, or that there is no camera, starts a camera of its own.
        Task { [weak camera] in try? await camera?.start() }
    }

    var source: CapturedVideoSource { camera.source }

    var dimensions: VideoSize { source.dimensions }
    var frameCount: UInt64 { source.frameCount }
    func setFrameRate(_ framesPerSecond: Double) { source.setFrameRate(framesPerSecond) }
    func setStill(_ isStill: Bool) { source.setStill(isStill) }
    func setEnabled(_ isEnabled: Bool) { source.setEnabled(isEnabled) }
    func setEncodeDelay(milliseconds: Int) {}
}

extension AppleWebRTCEngine {
    /// Makes a source of the front camera, which starts by itself; make a ``Camera`` to choose, or to know why one does
    /// not start.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` if the user has forbidden it.
    public func makeCameraSource(size: VideoSize, frameRate: Double) throws -> (any VideoSource)? {
        try CameraSource(self, size: size, frameRate: frameRate)
    }

    /// Makes a source of the microphone.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` if the user has forbidden it.
    public func makeMicrophoneSource() throws -> (any AudioSource)? {
        switch AVCaptureDevice.authorizationStatus(for: .audio) {
        case .denied, .restricted: throw MicrophoneSource.forbidden
        default: return MicrophoneSource(self)
        }
    }
}
#endif
