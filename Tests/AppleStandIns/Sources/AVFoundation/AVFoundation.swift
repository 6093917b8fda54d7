// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import AVFAudio
import Foundation

// What AppleWebRTC uses of AVFoundation and CoreMedia, by the same names.

/// Stands for `CMFormatDescription`.
public final class CMFormatDescription: Sendable {
    let size: CMVideoDimensions
    init(_ size: CMVideoDimensions) { self.size = size }
}

public struct CMVideoDimensions: Sendable {
    public var width: Int32
    public var height: Int32
    public init(width: Int32, height: Int32) { (self.width, self.height) = (width, height) }
}

public func CMVideoFormatDescriptionGetDimensions(_ description: CMFormatDescription) -> CMVideoDimensions {
    description.size
}

open class AVFrameRateRange: NSObject {
    public let maxFrameRate: Double
    init(_ maxFrameRate: Double) { self.maxFrameRate = maxFrameRate }
}

public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let audio = AVMediaType(rawValue: "soun")
    public static let video = AVMediaType(rawValue: "vide")
}

public enum AVAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized }

open class AVCaptureDevice: NSObject {
    public enum Position: Int, Sendable { case unspecified, back, front }

    open class Format: NSObject {
        public let formatDescription: CMFormatDescription
        public let videoSupportedFrameRateRanges: [AVFrameRateRange]

        @_spi(StandIn) public init(width: Int32, height: Int32, maxFrameRate: Double) {
            formatDescription = CMFormatDescription(CMVideoDimensions(width: width, height: height))
            videoSupportedFrameRateRanges = [AVFrameRateRange(maxFrameRate)]
        }
    }

    @_spi(StandIn) nonisolated(unsafe) public static var forbidden: Set<AVMediaType> = []

    public let position: Position

    @_spi(StandIn) public init(_ position: Position) { self.position = position }

    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        forbidden.contains(mediaType) ? .denied : .authorized
    }

    public class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        !forbidden.contains(mediaType)
    }
}
