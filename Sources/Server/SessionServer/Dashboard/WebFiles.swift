// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Hummingbird
import Synchronization

/// The pages for people and what they are made of: the files in `Web` at the root of the repository, built into the
/// program by the plugin `EmbedFiles`.
struct WebFiles: Sendable {
    /// One file.
    struct File: Sendable {
        let bytes: [UInt8]
        /// With gzip; `nil` if that is of no use.
        let packed: [UInt8]?
        /// Its media type.
        let type: String
        /// What HTTP knows these bytes by.
        let tag: String

        init(bytes: [UInt8], type: String) {
            (self.bytes, self.type, tag) = (bytes, type, Response.tag(of: bytes))
            packed = GzipPacker.packed(bytes)
        }
    }

    /// Where Debian's libjs-chart.js puts Chart.js.
    static let chartDirectory = "/usr/share/javascript/chart.js"

    /// Files are read from here at each request instead; `nil` for those built in.
    let directory: String?

    /// The file of a name such as `dashboard/app.js`; `nil` if there is none.
    func file(_ name: String) -> File? {
        guard let builtIn = Self.builtIn[name] else { return nil }
        guard let directory else { return builtIn }
        return Self.read("\(directory)/\(name)", type: builtIn.type)
    }

    /// A module of Chart.js, if it is installed.
    static func chart(_ name: String) -> File? {
        // The names are ours to choose from: no path that comes from outside is ever opened.
        guard ["chart.mjs", "chunks/helpers.segment.mjs"].contains(name) else { return nil }
        if let known = charts.withLock({ $0[name] }) { return known }
        let file = read("\(chartDirectory)/\(name)", type: javaScript)
        charts.withLock { $0[name] = file }
        return file
    }

    /// Those that were found: packing one takes longer than all else about a request, which anyone may send.
    private static let charts = Mutex<[String: File]>([:])

    private static func read(_ path: String, type: String) -> File? {
        FileManager.default.contents(atPath: path).map { File(bytes: Array($0), type: type) }
    }

    private static let javaScript = "text/javascript; charset=utf-8"

    private static let builtIn = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.web.map { ($0, File(bytes: Array($1.utf8), type: type(of: $0))) })

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": javaScript
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }
}
