// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC) && canImport(AVFoundation)
import AVFoundation
import CallModel
import Foundation
import MediaEngine
import WebRTC

// The framework's capturer queues its work itself, hence unchecked.
/// One of the device's cameras: asks for permission, chooses a format, starts, stops and changes sides.
///
/// The app needs `NSCameraUsageDescription`, or it is ended when the camera starts.
public final class Camera: @unchecked Sendable {
    /// Which camera.
    public enum Side: Sendable {
        /// The one above the screen.
        case front
        /// The one on the other side.
        case back

        var position: AVCaptureDevice.Position { self == .front ? .front : .back }
        var other: Side { self == .front ? .back : .front }
    }

    static let forbidden = MediaEngineError(
        .unsupported, "the camera is not permitted: the user can change that in the settings")

    /// What is captured: the source of a publisher.
    public let source: CapturedVideoSource
    private let capturer: RTCCameraVideoCapturer
    private let frameRate: Double
    private let side: Mutex<Side>

    /// Captures nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - engine: The engine that is to send it.
    ///   - size: The smallest frame to ask for; the camera's next larger one is used, or its largest.
    ///   - frameRate: Frames a second at most.
    ///   - side: Which camera; any other if the device has none there.
    public init(
        _ engine: AppleWebRTCEngine, size: VideoSize = VideoSize(width: 1280, height: 720),
        frameRate: Double = 30, side: Side = .front
    ) {
        source = CapturedVideoSource(engine, width: size.width, height: size.height)
        source.setFrameRate(frameRate)
        capturer = RTCCameraVideoCapturer(delegate: source)
        self.frameRate = frameRate
        self.side = Mutex(side)
    }

    // The framework's capturer insists on being stopped first.
    deinit { capturer.stopCapture(completionHandler: nil) }

    /// Asks for permission if that is not given yet, and captures from then on.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` without permission or a camera, `internal` with the
    ///   system's reason if the camera does not start.
    public func start() async throws {
        guard await AVCaptureDevice.requestAccess(for: .video) else {
            throw Self.forbidden
        }
        let position = side.withLock(\.position)
        let devices = RTCCameraVideoCapturer.captureDevices()
        guard let device = devices.first(where: { $0.position == position }) ?? devices.first,
            let format = bestFormat(of: device)
        else { throw MediaEngineError(.unsupported, "this device has no camera") }
        let fastest = format.videoSupportedFrameRateRanges.map(\.maxFrameRate).max() ?? frameRate
        let rate = Int(min(max(frameRate, 1), max(fastest, 1), 120))
        try await withCheckedThrowingContinuation { (started: CheckedContinuation<Void, any Error>) in
            capturer.startCapture(with: device, format: format, fps: rate) { error in
                let failure = error.map { MediaEngineError(.internal, $0.localizedDescription) }
                started.resume(with: failure.map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// Ends capturing; ``start()`` begins it again.
    public func stop() async {
        await withCheckedContinuation { stopped in
            capturer.stopCapture { stopped.resume() }
        }
    }

    /// Captures with the camera on the other side from now on.
    ///
    /// - Throws: As ``start()`` does.
    public func flip() async throws {
        side.withLock { $0 = $0.other }
        try await start()
    }

    /// The smallest format that is large enough, or the largest.
    private func bestFormat(of device: AVCaptureDevice) -> AVCaptureDevice.Format? {
        let formats = RTCCameraVideoCapturer.supportedFormats(for: device)
            .sorted { $0.size.pixels < $1.size.pixels }
        let wanted = source.dimensions
        let enough = formats.first {
            $0.size.width >= wanted.width && $0.size.height >= wanted.height
        }
        return enough ?? formats.last
    }
}

extension AVCaptureDevice.Format {
    fileprivate var size: VideoSize {
        let size = CMVideoFormatDescriptionGetDimensions(formatDescription)
        return VideoSize(width: Int(size.width), height: Int(size.height))
    }
}
#endif
