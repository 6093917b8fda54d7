// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_spi(StandIn) public import AVFoundation
import Foundation

// The audio session and the audio device of WebRTC.framework, as far as AppleWebRTC uses them.

public protocol RTCAudioSessionDelegate: NSObjectProtocol {
    // All are optional in the framework; here a misspelled one does not compile.
    func audioSessionDidBeginInterruption(_ session: RTCAudioSession)
    func audioSessionDidEndInterruption(_ session: RTCAudioSession, shouldResumeSession: Bool)
    func audioSessionDidChangeRoute(
        _ session: RTCAudioSession, reason: AVAudioSession.RouteChangeReason,
        previousRoute: AVAudioSessionRouteDescription)
    func audioSessionMediaServerReset(_ session: RTCAudioSession)
}

open class RTCAudioSessionConfiguration: NSObject {
    nonisolated(unsafe) private static var shared = RTCAudioSessionConfiguration()

    public var category = AVAudioSession.Category.playAndRecord.rawValue
    public var categoryOptions: AVAudioSession.CategoryOptions = []
    public var mode = AVAudioSession.Mode.voiceChat.rawValue

    public override init() {}

    public class func webRTC() -> RTCAudioSessionConfiguration { shared }
    public class func setWebRTC(_ configuration: RTCAudioSessionConfiguration) { shared = configuration }
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name: it notes what it is asked for in its order, and
/// refuses without its lock.
open class RTCAudioSession: NSObject {
    private struct WeakDelegate {
        weak var delegate: (any RTCAudioSessionDelegate)?
    }

    nonisolated(unsafe) private static let shared = RTCAudioSession(.sharedInstance())
    /// What configuring or activating answers with.
    @_spi(StandIn) public var failure: (any Error)?
    /// What was done, in its order.
    @_spi(StandIn) public private(set) var log: [String] = []
    private let lock = NSRecursiveLock()
    private var lockCount = 0
    private var delegates: [WeakDelegate] = []

    public let session: AVAudioSession
    public var useManualAudio = false { didSet { log.append("manual \(useManualAudio)") } }
    public var isAudioEnabled = false { didSet { log.append("enabled \(isAudioEnabled)") } }

    @_spi(StandIn) public init(_ session: AVAudioSession = AVAudioSession()) { self.session = session }

    public class func sharedInstance() -> RTCAudioSession { shared }

    @_spi(StandIn) public var isLocked: Bool { lockCount > 0 }
    /// Those that are still there.
    @_spi(StandIn) public var listeners: [any RTCAudioSessionDelegate] {
        lock.withLock { delegates.compactMap(\.delegate) }
    }

    /// Notes what another stand-in was asked for.
    @_spi(StandIn) public func note(_ what: String) { log.append(what) }

    public func add(_ delegate: any RTCAudioSessionDelegate) {
        lock.withLock { delegates.append(WeakDelegate(delegate: delegate)) }
    }

    public func remove(_ delegate: any RTCAudioSessionDelegate) {
        lock.withLock { delegates.removeAll { $0.delegate == nil || $0.delegate === delegate } }
    }

    public func lockForConfiguration() {
        lock.lock()
        lockCount += 1
    }

    public func unlockForConfiguration() {
        lockCount -= 1
        lock.unlock()
    }

    public func setConfiguration(_ configuration: RTCAudioSessionConfiguration) throws {
        try expectLock()
        session.configured = (
            .init(rawValue: configuration.category), .init(rawValue: configuration.mode),
            configuration.categoryOptions
        )
    }

    public func setActive(_ active: Bool) throws {
        try expectLock()
        log.append("active \(active)")
    }

    public func audioSessionDidActivate(_ session: AVAudioSession) { log.append("did activate") }
    public func audioSessionDidDeactivate(_ session: AVAudioSession) { log.append("did deactivate") }

    private func expectLock() throws {
        guard lockCount > 0 else {
            throw NSError(domain: "org.webrtc.RTC_OBJC_TYPE(RTCAudioSession)", code: -1)
        }
        if let failure { throw failure }
    }
}

public struct RTCAudioEngineAvailability {
    public let isInputAvailable: Bool
    public let isOutputAvailable: Bool

    public init(isInputAvailable: Bool, isOutputAvailable: Bool) {
        self.isInputAvailable = isInputAvailable
        self.isOutputAvailable = isOutputAvailable
    }
}

open class RTCAudioDeviceModule: NSObject {
    /// What was made available, in its order.
    @_spi(StandIn) public private(set) var availabilities: [RTCAudioEngineAvailability] = []
    /// What the next call answers with.
    @_spi(StandIn) public var code = 0
    /// Is called with each change.
    @_spi(StandIn) public var notify: (Bool) -> Void = { _ in }

    @_spi(StandIn) public override init() {}

    public func setEngineAvailability(_ availability: RTCAudioEngineAvailability) -> Int {
        availabilities.append(availability)
        notify(availability.isOutputAvailable)
        return code
    }
}
