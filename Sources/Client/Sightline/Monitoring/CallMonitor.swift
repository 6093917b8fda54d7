// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import MediaEngine
import SessionWire
import WebRTCStats

/// Observes a call through anything that can deliver `getStats()` reports of a peer connection.
///
/// Needs no ``Session``: an app with its own WebRTC stack wraps its peer connection's `getStats()` in a
/// `StatsSource` and has every figure of this SDK. ``Publisher`` and ``Subscriber`` own one each.
///
/// A monitor reads one report a tick; ticks that fall due while a report is still being read are omitted. It
/// stops when it is released.
public final class CallMonitor: Sendable {
    private let loop: MonitorLoop
    private let clock: SessionClock
    /// The app's intent for the media; `nil` where a session knows it.
    private let stored: StoredInputs?
    private let hub = EventHub<CallMonitorEvent>(.bufferingNewest(1024))
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        var upload: Task<Void, Never>?
        /// What the app says of its tracks, by their identifiers.
        var tags: [String: TrackTag] = [:]
        weak var delegate: (any CallMonitorDelegate & Sendable)?
    }

    /// Observes what a source sends and receives.
    ///
    /// - Parameters:
    ///   - source: The source of reports.
    ///   - roles: The connection's roles; each has an observation per tick.
    ///   - configuration: Interval and clock.
    public convenience init(
        _ source: any StatsSource, roles: Set<StreamRole> = [.publisher, .subscriber],
        configuration: CallMonitorConfiguration = CallMonitorConfiguration()
    ) {
        self.init(roles, configuration, StoredInputs(configuration.clock))
        loop.setSource(source)
    }

    init(roles: Set<StreamRole>, configuration: CallMonitorConfiguration, inputs: any MonitorInputs) {
        loop = MonitorLoop(roles, configuration, inputs)
        clock = configuration.clock
        stored = nil
    }

    private init(
        _ roles: Set<StreamRole>, _ configuration: CallMonitorConfiguration, _ inputs: StoredInputs
    ) {
        loop = MonitorLoop(roles, configuration, inputs)
        clock = configuration.clock
        stored = inputs
    }

    deinit {
        state.withLock { state in
            state.task?.cancel()
            state.upload?.cancel()
        }
        hub.finish()
    }

    /// Starts to observe; the first report is read at once.
    ///
    /// No effect while it runs or after ``stop()``.
    public func start() { start { _ in } }

    /// Starts to observe; `listener` gets each observation before everyone else.
    func start(notifying listener: @escaping @Sendable (CallMonitorEvent) -> Void) {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task { [loop, hub] in
                await loop.run { observation in
                    listener(observation)
                    hub.send(observation)
                }
            }
        }
    }

    /// Stops permanently; sequences end after delivering what is buffered.
    ///
    /// Idempotent.
    public func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.upload?.cancel()
            // Later calls of `start` find a task and do nothing.
            state.task = state.task ?? Task {}
        }
        hub.finish()
    }

    /// Observations from now on, for one listener.
    ///
    /// A slow listener loses the oldest: the newest 1024 are kept, since a tick has one for each track as well. Ends when the monitor stops; ends at
    /// once when it has.
    public func observations() -> AsyncStream<CallMonitorEvent> { hub.events() }

    /// Receives the same as ``observations()``, in the same order; on the main actor on Apple's systems, elsewhere from a task
    /// of the SDK; held weakly.
    ///
    /// Set it before ``start()`` to receive everything. ``setDelegate(_:isolation:)`` has one called on another actor.
    public var delegate: (any CallMonitorDelegate & Sendable)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { $0.delegate = newValue }
            hub.deliver(
                to: .delegate(of: self) { observation, monitor in
                    monitor.delegate?.callMonitor(monitor, didObserve: observation)
                })
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor CallMonitorDelegate`. It takes the
    /// place of ``delegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``delegate``.
    public func setDelegate(
        _ delegate: (any CallMonitorDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        state.withLock { $0.delegate = nil }
        hub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, monitor in
                delegate?.callMonitor(monitor, didObserve: event)
            })
    }

    /// Sends every report to a server from now on, which judges it as a part of an observed call, until the monitor stops.
    ///
    /// Reports go without addresses. While the server is out of reach they wait, 240 at most.
    ///
    /// - Parameters:
    ///   - server: Its address, such as `https://quality.example.org`.
    ///   - token: The participant's, of the scope `observe`.
    /// - Throws: ``SightlineError`` with the code `invalidToken` if the token names no call.
    public func upload(to server: URL, token: String) throws(SightlineError) {
        try upload(ReportUploader(to: server, token: token, clock: clock))
    }

    func upload(_ uploader: ReportUploader) {
        state.withLock { state in
            uploader.setTags(state.tags)
            loop.setUploader(uploader)
            state.upload?.cancel()
            state.upload = Task { await uploader.run() }
        }
    }

    /// Says whose track it is, or what it is called, in the reports that ``upload(to:token:)`` sends.
    ///
    /// The two ends of a stream that say the same are paired, also where a media server gives streams other SSRCs. May be said
    /// before the upload begins, and while it continues. What is said last of a track counts; with neither a participant nor a
    /// name it is taken back.
    ///
    /// - Parameters:
    ///   - trackIdentifier: The track's `id`, which reports call `trackIdentifier`: 128 bytes of UTF-8 at most.
    ///   - participant: Who sends it, as that participant's token says: 1 to 128 bytes; `nil` for the app's own track, or where
    ///     that is not known.
    ///   - name: What the track is called at both ends, such as `camera` or the id that a media server gave it: 1 to 128
    ///     bytes; `nil` for nothing.
    /// - Throws: ``SightlineError`` with the code `invalidArgument` for what is longer or empty, and for more than 256 tracks or
    ///   16 KB in all; nothing changes then.
    public func tagTrack(
        _ trackIdentifier: String, participant: String? = nil, name: String? = nil
    ) throws(SightlineError) {
        let tag = TrackTag(participant: participant, name: name)
        // Under the lock: what is said last is also sent last.
        let problem = state.withLock { state -> ServerError? in
            var tags = state.tags
            tags[trackIdentifier] = tag == TrackTag() ? nil : tag
            do throws(ServerError) { try TrackTag.check(tags) } catch { return error }
            state.tags = tags
            loop.uploader?.setTags(tags)
            return nil
        }
        if let problem { throw SightlineError(.invalidArgument, problem.message) }
    }

    /// Says what the participant thinks of the call that reports are sent of with ``upload(to:token:)``.
    ///
    /// Also after ``stop()``, when people are asked. What is said last counts. A server that is out of reach is tried a few
    /// times.
    ///
    /// - Throws: ``SightlineError``: `notConnected` if no reports are sent, `invalidToken`, `unknownSession` if no report of
    ///   the participant was taken, `tooMany`, `connectionFailed`, `cancelled`.
    public func rate(_ rating: CallRating) async throws {
        guard let uploader = loop.uploader else {
            throw SightlineError(.notConnected, "no server gets this monitor's reports: upload them first")
        }
        try await uploader.rate(rating)
    }

    /// Ticks that were omitted because a report took longer than the interval.
    public var skippedTicks: Int { loop.skippedTicks }

    /// Reads from another source from now on: the peer connection was replaced.
    ///
    /// Totals continue.
    public func setSource(_ source: any StatsSource) { loop.setSource(source) }

    /// Reads from other sources from now on, one for each peer connection of a stream.
    func setSources(_ sources: [MonitoredSource]) { loop.setSources(sources) }

    /// Says what is wanted of the media that a role sends or receives; without it, rules that need it say
    /// `unknown`.
    public func setIntent(_ intent: MediaIntent, for role: StreamRole) {
        stored?.setIntent(intent, for: role)
    }

    /// Sets remote metrics; they age from now on, in addition to their stated age.
    public func setRemoteMetrics(_ facts: RemoteMetrics) { stored?.setRemoteMetrics(facts) }

    /// Waits until a stopped monitor has ended.
    func finished() async { await state.withLock { $0.task }?.value }
}
