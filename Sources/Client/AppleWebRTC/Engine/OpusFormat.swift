// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a description says of Opus (RFC 7587, section 7).
enum OpusFormat {
    /// The description, asking for a feature of Opus in every media section that has it.
    static func requesting(_ feature: String, in sdp: String) -> String {
        let lines = sdp.split(separator: "\r\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            if let type = lines.lazy.compactMap(payloadType).first(where: { line.hasPrefix("a=fmtp:\($0) ") })
            {
                let parameters = line.dropFirst("a=fmtp:\(type) ".count).split(separator: ";")
                    .filter { !$0.drop { $0 == " " }.hasPrefix("\(feature)=") }
                return ["a=fmtp:\(type) " + (parameters + ["\(feature)=1"]).joined(separator: ";")]
            }
            guard let type = payloadType(line), !lines.contains(where: { $0.hasPrefix("a=fmtp:\(type) ") })
            else { return [String(line)] }
            return [String(line), "a=fmtp:\(type) \(feature)=1"]
        }.joined(separator: "\r\n")
    }

    /// The payload type that a line gives to Opus.
    private static func payloadType(_ line: Substring) -> Substring? {
        let prefix = "a=rtpmap:"
        guard line.hasPrefix(prefix) else { return nil }
        let words = line.dropFirst(prefix.count).split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[1].lowercased().hasPrefix("opus/") else { return nil }
        return words[0]
    }
}
