// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import WebRTC

// The framework's source takes frames from any thread and all else is behind a lock, hence unchecked.
/// Frames that something captures, for one sender.
///
/// It is the delegate of a capturer: `RTCCameraVideoCapturer(delegate: source)` for a camera, or an app's own
/// capturer of a screen. Whoever starts the capturer stops it as well.
public final class CapturedVideoSource: NSObject, VideoSource, RTCVideoCapturerDelegate, @unchecked Sendable {
    private struct State {
        var frameCount: UInt64 = 0
        var isEnabled = true
        var isStill = false
        /// ns between frames that are passed on at least; 0 for all.
        var interval: Int64 = 0
        /// When the next one is due, ns.
        var due: Int64?
        /// The frame that a still source repeats.
        var still: CapturedFrame?

        /// Whether a frame of that time is due.
        mutating func takes(_ time: Int64) -> Bool {
            guard interval > 0 else { return true }
            // A capturer is not exact, and a clock may have been set back.
            if let due, time < due - interval / 4, due - time < interval * 2 { return false }
            due = max(due ?? time, time - interval) + interval
            return true
        }
    }

    // A frame never changes, hence unchecked.
    private struct CapturedFrame: @unchecked Sendable {
        let frame: RTCVideoFrame
    }

    /// Size of the frames as the capturer was asked for them; it decides on layers and bitrates.
    public let dimensions: VideoSize
    let source: RTCVideoSource
    /// What is captured, for a view; it is sent to no one.
    public let previewTrack: RTCVideoTrack
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - engine: The engine that is to send it.
    ///   - width: Width that the capturer is asked for, in pixels.
    ///   - height: Height that the capturer is asked for, in pixels.
    ///   - isScreen: Whether the frames are those of a screen, which are kept sharp.
    public init(_ engine: AppleWebRTCEngine, width: Int, height: Int, isScreen: Bool = false) {
        dimensions = VideoSize(width: width, height: height)
        source = engine.factory.videoSource(forScreenCast: isScreen)
        previewTrack = engine.factory.videoTrack(with: source, trackId: UUID().uuidString)
    }

    /// Frames captured so far.
    public var frameCount: UInt64 { state.withLock { $0.frameCount } }

    /// Frames a second at most from now on, 0.1 to 120: the capturer makes as many as it does, and those too many are
    /// not passed on.
    public func setFrameRate(_ framesPerSecond: Double) {
        guard framesPerSecond.isFinite else { return }
        state.withLock { state in
            state.interval = Int64(1_000_000_000 / min(max(framesPerSecond, 0.1), 120))
            state.due = nil
        }
    }

    /// A track of its own, so that each sender can be switched off alone.
    func makeTrack(_ factory: RTCPeerConnectionFactory) -> TrackSwitch {
        TrackSwitch(factory.videoTrack(with: source, trackId: UUID().uuidString))
    }

    /// Repeats one frame while on.
    public func setStill(_ isStill: Bool) {
        state.withLock { state in
            state.isStill = isStill
            state.still = nil
        }
    }

    /// Passes no video on while off.
    public func setEnabled(_ isEnabled: Bool) { state.withLock { $0.isEnabled = isEnabled } }

    /// Has no effect: the device is as fast as it is.
    public func setEncodeDelay(milliseconds: Int) {}

    /// Takes a frame from the capturer.
    public func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        let taken = CapturedFrame(frame: frame)
        let passed: CapturedFrame? = state.withLock { state in
            guard state.isEnabled, state.takes(frame.timeStampNs) else { return nil }
            state.frameCount += 1
            guard state.isStill else { return taken }
            guard let still = state.still?.frame else {
                state.still = taken
                return taken
            }
            return CapturedFrame(
                frame: RTCVideoFrame(
                    buffer: still.buffer, rotation: still.rotation, timeStampNs: taken.frame.timeStampNs))
        }
        if let passed { source.capturer(capturer, didCapture: passed.frame) }
    }
}

extension CapturedVideoSource {
    /// The source itself, if it is one of this engine's.
    static func own(_ source: any VideoSource) throws(MediaEngineError) -> CapturedVideoSource {
        #if canImport(AVFoundation)
        if let camera = source as? CameraSource { return camera.source }
        #endif
        guard let own = source as? CapturedVideoSource else {
            throw MediaEngineError(.unsupported, "the source belongs to another media engine")
        }
        return own
    }
}
#endif
