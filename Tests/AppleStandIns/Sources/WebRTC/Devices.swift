// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_spi(StandIn) public import AVFoundation
import Foundation

// The camera and the view of WebRTC.framework, as far as AppleWebRTC uses them.

/// Stands for UIKit's class.
@MainActor open class UIView: NSObject {
    public override nonisolated init() {}
}

/// Stands for UIKit's `UIView.ContentMode`.
public enum UIViewContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill }

open class RTCMTLVideoView: UIView, RTCVideoRenderer {
    public var videoContentMode = UIViewContentMode.scaleToFill

    public nonisolated func setSize(_ size: CGSize) {}
    public nonisolated func renderFrame(_ frame: RTCVideoFrame?) {}
}

open class RTCCameraVideoCapturer: RTCVideoCapturer {
    @_spi(StandIn) nonisolated(unsafe) public static var devices: [AVCaptureDevice] = []
    @_spi(StandIn) nonisolated(unsafe) public static var formats: [AVCaptureDevice.Format] = []
    @_spi(StandIn) public typealias Start = (AVCaptureDevice, AVCaptureDevice.Format, Int)
    @_spi(StandIn) nonisolated(unsafe) public static var started: [Start] = []
    @_spi(StandIn) nonisolated(unsafe) public static var stopCount = 0
    @_spi(StandIn) nonisolated(unsafe) public static var failure: (any Error)?

    public class func captureDevices() -> [AVCaptureDevice] { devices }
    public class func supportedFormats(for device: AVCaptureDevice) -> [AVCaptureDevice.Format] { formats }

    public func startCapture(
        with device: AVCaptureDevice, format: AVCaptureDevice.Format, fps: Int,
        completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) {
        Self.started.append((device, format, fps))
        let failure = Self.failure
        DispatchQueue.global().async { completionHandler?(failure) }
    }

    public func stopCapture(completionHandler: (@Sendable () -> Void)?) {
        Self.stopCount += 1
        DispatchQueue.global().async { completionHandler?() }
    }
}
