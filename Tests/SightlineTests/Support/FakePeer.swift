// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import Synchronization
import WebRTCStats

/// A peer connection that does what a test says.
final class FakePeer: MediaPeerConnection {
    private struct State {
        var senders: [FakeSender] = []
        var receivers: [MediaKind] = []
        var tracks: [FakeTrack] = []
        var candidates: [ICECandidate] = []
        var startBitrate: Int?
        var maximumBitrates: [Int?] = []
        var hasAnswer = false
        var isClosed = false
        var statistics: @Sendable (Int) async throws -> StatsReport = {
            StatsReport(timestamp: Double($0) * 1000)
        }
        var reads = 0
    }

    let number: Int
    let configuration: PeerConnectionConfiguration
    let events: AsyncStream<PeerConnectionEvent>
    private let continuation: AsyncStream<PeerConnectionEvent>.Continuation
    private let connects: Bool
    private let state = Mutex(State())

    init(number: Int, configuration: PeerConnectionConfiguration, connects: Bool) {
        self.number = number
        self.configuration = configuration
        self.connects = connects
        (events, continuation) = AsyncStream.makeStream()
    }

    deinit { continuation.finish() }

    var senders: [FakeSender] { state.withLock { $0.senders } }
    var receivers: [MediaKind] { state.withLock { $0.receivers } }
    var tracks: [FakeTrack] { state.withLock { $0.tracks } }
    var candidates: [ICECandidate] { state.withLock { $0.candidates } }
    var startBitrate: Int? { state.withLock { $0.startBitrate } }
    /// The upper bounds that were set, in their order.
    var maximumBitrates: [Int?] { state.withLock { $0.maximumBitrates } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var reads: Int { state.withLock { $0.reads } }

    /// What reports say; gets the number of the report.
    func setStatistics(_ statistics: @escaping @Sendable (Int) async throws -> StatsReport) {
        state.withLock { $0.statistics = statistics }
    }

    func emit(_ event: PeerConnectionEvent) { continuation.yield(event) }

    func addVideo(_ source: (any VideoSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        add(FakeSender(.video, parameters, hasSource: source != nil))
    }

    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        add(FakeSender(.audio, parameters, hasSource: source != nil))
    }

    func addReceiver(_ kind: MediaKind) throws { state.withLock { $0.receivers.append(kind) } }

    func createDataChannel(_ configuration: DataChannelConfiguration) throws -> any DataChannel {
        throw MediaEngineError(.unsupported, "there are no data channels here")
    }

    func createOffer(iceRestart: Bool) async throws -> SessionDescription {
        SessionDescription(.offer, sdp: iceRestart ? "restart \(number)" : "offer \(number)")
    }

    func createAnswer() async throws -> SessionDescription {
        guard state.withLock({ $0.hasAnswer }) else { throw MediaEngineError(.invalidState, "no offer") }
        return SessionDescription(.answer, sdp: "answer \(number)")
    }

    func setLocalDescription(_ description: SessionDescription) async throws {
        emit(.candidate(ICECandidate(mid: "0", lineIndex: 0, candidate: "candidate:local \(number)")))
        emit(.gatheringComplete)
        if description.kind == .answer, connects { emit(.connectionState(.connected)) }
    }

    func setRemoteDescription(_ description: SessionDescription) async throws {
        guard description.sdp.hasPrefix(description.kind.rawValue) else {
            throw MediaEngineError(.invalidDescription, "no \(description.kind): \(description.sdp)")
        }
        let tracks = state.withLock { state -> [FakeTrack] in
            defer { state.hasAnswer = true }
            // A restart brings no new tracks.
            guard !state.hasAnswer else { return [] }
            let kinds: [MediaKind] = description.kind == .offer ? [.audio, .video] : state.receivers
            state.tracks = kinds.map(FakeTrack.init)
            return state.tracks
        }
        for track in tracks { emit(.track(track)) }
        if description.kind == .answer, connects { emit(.connectionState(.connected)) }
    }

    func addCandidate(_ candidate: ICECandidate) async throws {
        try state.withLock { state in
            guard state.hasAnswer else {
                throw MediaEngineError(.invalidState, "a candidate before the answer")
            }
            state.candidates.append(candidate)
        }
    }

    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws {
        state.withLock { state in
            state.startBitrate = start
            state.maximumBitrates.append(maximum)
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        continuation.finish()
    }

    func statistics() async throws -> StatsReport {
        let (statistics, number) = state.withLock { state in
            state.reads += 1
            return (state.statistics, state.reads)
        }
        return try await statistics(number)
    }

    private func add(_ sender: FakeSender) -> FakeSender {
        state.withLock { $0.senders.append(sender) }
        return sender
    }
}

/// A sender that records its calls.
final class FakeSender: MediaSender {
    private struct State {
        var hasSource: Bool
        var isEnabled = true
    }

    let kind: MediaKind
    let parameters: SendParameters
    private let state: Mutex<State>

    init(_ kind: MediaKind, _ parameters: SendParameters, hasSource: Bool) {
        self.kind = kind
        self.parameters = parameters
        state = Mutex(State(hasSource: hasSource))
    }

    var hasSource: Bool { state.withLock { $0.hasSource } }
    var isEnabled: Bool { state.withLock { $0.isEnabled } }

    func replace(with source: (any VideoSource)?) throws { state.withLock { $0.hasSource = source != nil } }
    func replace(with source: (any AudioSource)?) throws { state.withLock { $0.hasSource = source != nil } }
    func setEnabled(_ isEnabled: Bool) { state.withLock { $0.isEnabled = isEnabled } }
    func setEncoding(_ encoding: Encoding, at index: Int) throws {}
}

/// A track that frames can be put in.
final class FakeTrack: RemoteTrack {
    private struct State {
        var isEnabled = true
        var handler: (@Sendable (ReceivedFrame) -> Void)?
        var i420Handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?
    }

    let kind: MediaKind
    private let state = Mutex(State())

    init(_ kind: MediaKind) { self.kind = kind }

    var id: String { kind.rawValue }
    var mid: String { "0" }
    var isEnabled: Bool { state.withLock { $0.isEnabled } }
    var hasHandler: Bool { state.withLock { $0.handler != nil } }
    var hasI420Handler: Bool { state.withLock { $0.i420Handler != nil } }

    func setEnabled(_ isEnabled: Bool) { state.withLock { $0.isEnabled = isEnabled } }
    func setFrameHandler(_ handler: (@Sendable (ReceivedFrame) -> Void)?) {
        state.withLock { ($0.handler, $0.i420Handler) = (handler, nil) }
    }

    func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        state.withLock { ($0.handler, $0.i420Handler) = (nil, handler) }
    }

    /// Decodes a frame.
    func show(_ number: UInt32) {
        let (handler, i420Handler) = state.withLock { ($0.handler, $0.i420Handler) }
        let frame = ReceivedFrame(width: 4, height: 2, number: number, receivedAt: Int64(number))
        handler?(frame)
        i420Handler?(frame, I420Frame(width: 4, height: 2, y: Array(0..<8), u: [1, 2], v: [3, 4]))
    }
}
