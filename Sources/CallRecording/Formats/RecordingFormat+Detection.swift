// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension RecordingFormat {
    /// The form whose lines look like that; `nil` if the line does not tell.
    static func ofLine(_ value: StatsValue) -> RecordingFormat? {
        switch value {
        case .array(let parts):
            let isCall =
                parts.count >= 3 && parts[0].text != nil && (parts[1].text != nil || parts[1] == .null)
            return isCall ? .rtcstats : nil
        case .object:
            if value["PeerConnections"] != nil { return .webrtcInternals }
            if value["peerConnections"] != nil { return .replayEntry }
            return value[RecordKey.pc] != nil && value[RecordKey.stats] != nil ? .sightline : nil
        default:
            return nil
        }
    }

    /// Whether the content begins like a document of webrtc-internals, which need not have line ends where one
    /// would like them: the name of its first member tells.
    static func beginsDocument(_ head: [UInt8]) -> Bool {
        guard let name = firstMemberName(of: head) else { return false }
        return ["getUserMedia", "PeerConnections", "UserAgent", "UserAgentData"].contains(name)
    }

    private static func firstMemberName(of head: [UInt8]) -> String? {
        func skipSpace(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            rest.drop { [0x20, 0x0A, 0x0D, 0x09, 0xEF, 0xBB, 0xBF].contains($0) }
        }
        let start = skipSpace(head[...])
        guard start.first == UInt8(ascii: "{") else { return nil }
        let inside = skipSpace(start.dropFirst())
        guard inside.first == UInt8(ascii: "\"") else { return nil }
        return String(
            decoding: inside.dropFirst().prefix(32).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
