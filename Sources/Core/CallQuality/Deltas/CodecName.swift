// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension StatsReport {
    /// The MIME subtype of a codec, such as `VP8`; `nil` if the report does not have it.
    func codecName(id: String?) -> String? {
        guard let id else { return nil }
        for index in codecs.indices where codecs[index].id == id {
            guard let type = codecs[index].mimeType else { return nil }
            let slash = type.utf8.lastIndex(of: UInt8(ascii: "/"))
            return slash.map { String(type[type.index(after: $0)...]) } ?? type
        }
        return nil
    }
}
