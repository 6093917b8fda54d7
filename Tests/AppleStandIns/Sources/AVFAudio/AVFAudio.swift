// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// What the SDK uses of AVFAudio, by the same names.

open class AVAudioSession: NSObject {
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    }

    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    }

    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    }

    public enum RouteChangeReason: UInt, Sendable {
        case unknown, newDeviceAvailable, oldDeviceUnavailable, categoryChange, override
        case wakeFromSleep = 6
        case noSuitableRouteForCategory, routeConfigurationChange
    }

    nonisolated(unsafe) private static let shared = AVAudioSession()
    @_spi(StandIn) public typealias Configuration = (category: Category, mode: Mode, options: CategoryOptions)

    private let lock = NSLock()
    private var present: Configuration = (.soloAmbient, .default, [])

    @_spi(StandIn) public var configured: Configuration {
        get { lock.withLock { present } }
        set { lock.withLock { present = newValue } }
    }
    public let outputVolume: Float = 0.25
    public var category: Category { configured.category }
    public var mode: Mode { configured.mode }
    public var categoryOptions: CategoryOptions { configured.options }

    @_spi(StandIn) public override init() {}

    public class func sharedInstance() -> AVAudioSession { shared }
}

open class AVAudioSessionRouteDescription: NSObject {
    @_spi(StandIn) public override init() {}
}
