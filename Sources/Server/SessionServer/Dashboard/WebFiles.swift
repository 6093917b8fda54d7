// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Hummingbird
import Synchronization

/// The pages for people and what they are made of: the files in `Web` at the root of the repository, built into the
/// program.
///
/// SwiftPM embeds only what lies in a target's folder: there, `Web` is a link.
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

    private static let text = "text/plain; charset=utf-8"
    private static let html = "text/html; charset=utf-8"
    private static let javaScript = "text/javascript; charset=utf-8"

    private static let builtIn: [String: File] = {
        var files: [String: File] = [
            "dashboard/index.html": File(bytes: PackageResources.index_html, type: html),
            "join/join.html": File(bytes: PackageResources.join_html, type: html),
            "shared/style.css": File(bytes: PackageResources.style_css, type: "text/css; charset=utf-8"),
            "client/bars.d.ts": File(bytes: PackageResources.bars_d_ts, type: text),
            "client/index.d.ts": File(bytes: PackageResources.index_d_ts, type: text),
            "client/package.json": File(bytes: PackageResources.package_json, type: "application/json"),
            "observe/observe.d.ts": File(bytes: PackageResources.observe_d_ts, type: text),
            "shared/icon.svg": File(bytes: PackageResources.icon_svg, type: "image/svg+xml"),
        ]
        for (folder, scripts) in scripts {
            for (name, bytes) in scripts {
                files["\(folder)/\(name).js"] = File(bytes: bytes, type: javaScript)
            }
        }
        return files
    }()

    private static let scripts: [String: [String: [UInt8]]] = [
        "client": [
            "bars": PackageResources.bars_js, "changes": PackageResources.changes_js,
            "client": PackageResources.client_js, "index": PackageResources.index_js,
            "judged": PackageResources.judged_js, "link": PackageResources.link_js,
            "network-test": PackageResources.network_test_js, "pace": PackageResources.pace_js,
            "part": PackageResources.part_js,
            "peer": PackageResources.peer_js, "publication": PackageResources.publication_js,
            "quality": PackageResources.quality_js, "subscription": PackageResources.subscription_js,
            "test-connections": PackageResources.test_connections_js,
            "test-media": PackageResources.test_media_js,
            "test-pattern": PackageResources.test_pattern_js, "tested": PackageResources.tested_js,
        ],
        "dashboard": [
            "api": PackageResources.api_js, "app": PackageResources.app_js,
            "call": PackageResources.call_js, "cards": PackageResources.cards_js,
            "charts": PackageResources.charts_js, "details": PackageResources.details_js,
            "findings": PackageResources.findings_js, "fleet": PackageResources.fleet_js,
            "impair": PackageResources.impair_js, "list": PackageResources.list_js,
            "pages": PackageResources.pages_js, "ratings": PackageResources.ratings_js,
            "series": PackageResources.series_js, "session": PackageResources.session_js,
            "vocabulary": PackageResources.vocabulary_js, "words": PackageResources.words_js,
        ],
        "join": ["join": PackageResources.join_js],
        "observe": ["observe": PackageResources.observe_js, "socket": PackageResources.socket_js],
        "shared": ["dom": PackageResources.dom_js],
    ]
}
