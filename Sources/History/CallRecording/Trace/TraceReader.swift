// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Makes an entry of a dump's trace an event.
///
/// rtcstats clients and webrtc-internals name the same calls and events; how they write the values differs with the
/// version, and all that is known of them is taken.
struct TraceReader {
    /// The call's or event's name.
    let method: String
    let value: StatsValue
    /// Names the call that a result belongs to.
    var call: String?
    /// Whether it belongs to the page, and no peer connection.
    var isOfPage = false

    /// Longest text that is kept.
    private static let textLimit = 200
    private static let success = "OnSuccess"
    private static let failure = "OnFailure"
    private static let media = "navigator.mediaDevices."

    var content: TraceEvent.Content {
        if let capture = capture { return capture }
        return ofPage ?? ofState ?? ofNegotiation ?? ofTracks ?? .other(Self.short(method))
    }

    // MARK: The page

    private var ofPage: TraceEvent.Content? {
        switch method {
        case "create":
            isOfPage
                ? .page(Self.page(value))
                : .created(value == .null ? TraceConfiguration() : TraceConfiguration(value))
        case "connectionInfo": .page(Self.page(value))
        case "websocket": value["connectionTime"]?.number.map { .uploadConnected($0 / 1000) }
        case Self.media + "enumerateDevices": .devicesListed
        default: nil
        }
    }

    /// The machine and the browser, as a client, or the first line of a file, tells of them.
    static func page(_ value: StatsValue) -> TracePage {
        var page = TracePage()
        page.userAgent = (value["userAgent"] ?? value["UserAgent"])?.text.map(short)
        page.operatingSystem = (value["userAgentData"] ?? value["UserAgentData"])?["platform"]?.text.map(
            short)
        page.processors = whole(value["hardwareConcurrency"])
        page.memory = value["deviceMemory"]?.number
        page.processorTier = whole(value["cpuPerformance"])
        page.screen = size(value["screen"])
        page.window = size(value["window"])
        page.reloads = whole(value["reloadCount"])
        return page
    }

    private static func size(_ value: StatsValue?) -> VideoSize? {
        guard let width = whole(value?["width"]), let height = whole(value?["height"]) else { return nil }
        return VideoSize(width: width, height: height)
    }

    // MARK: Cameras, microphones, screens

    private var capture: TraceEvent.Content? {
        guard let place = method.firstRange(of: "get") else { return nil }
        let name = method[place.lowerBound...]
        let isDisplay = name.hasPrefix("getDisplayMedia")
        guard isDisplay || name.hasPrefix("getUserMedia") else { return nil }
        if name.hasSuffix(Self.success) { return .captured(Self.tracks(value), isDisplay: isDisplay) }
        guard !name.hasSuffix(Self.failure) else {
            let (error, message) = Self.error(value)
            return .captureFailed(error: error, message: message, isDisplay: isDisplay)
        }
        let audio = Self.constraints(value["audio"])
        return .captureRequested(
            TraceCapture(
                hasAudio: audio.isWanted, hasVideo: Self.constraints(value["video"]).isWanted,
                isDisplay: isDisplay, echoCancellation: audio.echoCancellation))
    }

    /// Constraints are a truth value, an object, or the text of one; an empty text asks without conditions.
    private static func constraints(_ value: StatsValue?) -> (isWanted: Bool, echoCancellation: Bool?) {
        guard let value, value != .null, value != .bool(false) else { return (false, nil) }
        let wanted = object(value)["echoCancellation"]
        let flag = wanted?.flag ?? wanted?["exact"]?.flag ?? wanted?["ideal"]?.flag
        return (true, flag)
    }

    private static func tracks(_ value: StatsValue) -> [TraceTrack] {
        let list = value["tracks"] ?? value
        guard case .array(let tracks) = list else { return [] }
        return tracks.prefix(16).compactMap(track)
    }

    /// `Error: message`, or an object of both.
    private static func error(_ value: StatsValue) -> (String, String) {
        let text = withoutAddresses(value.text ?? (value["message"] ?? value["error_message"])?.text ?? "")
        if let name = (value["name"] ?? value["error"])?.text { return (short(name), short(text)) }
        guard let colon = text.firstRange(of: ":") else { return (short(text), short(text)) }
        return (
            short(String(text[..<colon.lowerBound])),
            short(String(text[colon.upperBound...].drop { $0 == " " }))
        )
    }

    // MARK: States

    private var ofState: TraceEvent.Content? {
        switch eventName {
        case "signalingstatechange": .signalingState(state)
        case "iceconnectionstatechange": .iceState(state)
        case "connectionstatechange": .connectionState(state)
        case "icegatheringstatechange": .gatheringState(state)
        case "close" where !isOfPage: .closed
        case "sightline.tag": Self.tag(value)
        case "sightline.remote": value.text.map { .remoteParticipant(Self.short($0)) }
        case "restartIce": .iceRestart
        case "createOffer": Self.object(value)["iceRestart"] == .bool(true) ? .iceRestart : nil
        case "createDataChannel", "datachannel": .dataChannel
        default: nil
        }
    }

    /// What an app says of a track: `{"track": id, "participant": …, "name": …}`.
    private static func tag(_ value: StatsValue) -> TraceEvent.Content? {
        let tag = object(value)
        let texts = ["participant", "name"].map { tag[$0]?.text.map(short) }
        // What is said in another form is not taken back.
        guard let track = tag["track"]?.text, tag["participant"] == nil || texts[0] != nil,
            tag["name"] == nil || texts[1] != nil
        else { return nil }
        return .trackTagged(short(track), participant: texts[0], name: texts[1])
    }

    /// Events have had their names with and without "on".
    private var eventName: String { method.hasPrefix("on") ? String(method.dropFirst(2)) : method }

    /// States come bare and as JSON; old ones of ICE with a prefix.
    private var state: String {
        let text = value.text ?? ""
        return Self.short(text.filter { $0 != "\"" })
    }

    // MARK: Offer, answer, candidates

    private var ofNegotiation: TraceEvent.Content? {
        switch eventName {
        case "icecandidate": .localCandidate(TraceCandidate(value))
        case "addIceCandidate": .remoteCandidate(TraceCandidate(value))
        case "icecandidateerror": TraceCandidateError(value).map { .candidateError($0) }
        case "setLocalDescription": description(isLocal: true)
        case "setRemoteDescription": description(isLocal: false)
        case "setLocalDescription" + Self.success: .described(isLocal: true, call: call)
        case "setRemoteDescription" + Self.success: .described(isLocal: false, call: call)
        case let name where name.hasSuffix(Self.failure):
            .failed(
                method: Self.short(String(name.dropLast(Self.failure.count))),
                reason: Self.short(Self.withoutAddresses(value.text ?? value["message"]?.text ?? "")))
        default: nil
        }
    }

    private func description(isLocal: Bool) -> TraceEvent.Content {
        .describing(TraceDescription(value, isLocal: isLocal, call: call))
    }

    // MARK: Tracks

    private var ofTracks: TraceEvent.Content? {
        switch eventName {
        case "addTrack": Self.track(value).map { .trackAdded($0) }
        case "track": Self.track(value).map { .trackReceived($0) }
        case "addTransceiver": value.first.flatMap(Self.track).map { .trackAdded($0) }
        case "replaceTrack": value.second.flatMap(Self.track).map { .trackAdded($0) }
        case "MediaStreamTrack.onended": Self.id(value).map { .trackEnded($0) }
        case "MediaStreamTrack.onmute": Self.id(value).map { .trackMuted($0) }
        case "MediaStreamTrack.onunmute": Self.id(value).map { .trackUnmuted($0) }
        case "MediaStreamTrack.stop": call.map { .trackStopped($0) }
        default: nil
        }
    }

    private static func id(_ value: StatsValue) -> String? { (value.text ?? value["id"]?.text).map(short) }

    /// `[kind, id, label, …]`, `kind:id …`, or an object.
    private static func track(_ value: StatsValue) -> TraceTrack? {
        anyTrack(value).flatMap { ["audio", "video"].contains($0.kind) ? $0 : nil }
    }

    private static func anyTrack(_ value: StatsValue) -> TraceTrack? {
        switch value {
        case .array(let parts):
            guard parts.count >= 2, let kind = parts[0].text, let id = parts[1].text else { return nil }
            return TraceTrack(
                kind: short(kind), id: short(id), label: parts.count > 2 ? parts[2].text.map(short) : nil)
        case .string(let text):
            guard let colon = text.firstRange(of: ":") else { return nil }
            let id = text[colon.upperBound...].prefix { $0 != " " }
            return TraceTrack(kind: short(String(text[..<colon.lowerBound])), id: short(String(id)))
        default:
            guard let kind = value["kind"]?.text, let id = value["id"]?.text else { return nil }
            return TraceTrack(kind: short(kind), id: short(id), label: value["label"]?.text.map(short))
        }
    }
}

extension TraceReader {
    /// A text that cannot grow what is kept.
    static func short(_ text: String) -> String { text.cut(toBytes: textLimit) }

    /// A browser's words without what could be an address in them.
    static func withoutAddresses(_ text: String) -> String {
        var isDescription = false
        let words = text.cut(toBytes: 2 * textLimit).split(separator: " ", omittingEmptySubsequences: false)
        return words.compactMap { word in
            // Engines quote the line of a session description that they do not understand.
            let isLine = word.dropFirst().first == "=" && word.first?.isLowercase == true
            defer { isDescription = isDescription || isLine }
            if isDescription { return nil }
            let trimmed = word.hasSuffix("...") ? word.dropLast(3) : word
            let marks = trimmed.count { $0 == "." || $0 == ":" }
            let isAddress = marks >= 2 && trimmed.contains { $0.isHexDigit }
            return isLine || isAddress || word.contains(".local") ? "[…]" : String(word)
        }.joined(separator: " ")
    }

    /// A whole number of a size that makes sense.
    static func whole(_ value: StatsValue?) -> Int? {
        value?.number.flatMap { Int(exactly: $0.rounded()) }.flatMap {
            (0...1_000_000).contains($0) ? $0 : nil
        }
    }

    /// The value, or what its text says if that is JSON.
    static func object(_ value: StatsValue) -> StatsValue {
        guard case .string(let text) = value, text.hasPrefix("{") || text.hasPrefix("[") else { return value }
        return (try? StatsValue.parse(text.utf8)) ?? value
    }
}

extension StatsValue {
    fileprivate var first: StatsValue? { if case .array(let parts) = self { parts.first } else { nil } }

    fileprivate var second: StatsValue? {
        if case .array(let parts) = self, parts.count > 1 { parts[1] } else { nil }
    }
}
