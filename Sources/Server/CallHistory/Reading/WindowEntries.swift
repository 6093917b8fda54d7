// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A stored sample.
package struct SampleEntry: Sendable, Equatable, Codable {
    /// When it was measured, Unix ms.
    package var time: Double
    /// Where.
    package var flow: FlowDescription
    /// Who measured it.
    package var observer: Observer
    /// The figures.
    package var sample: StreamSample

    /// Creates an entry.
    package init(time: Double, flow: FlowDescription, observer: Observer, sample: StreamSample) {
        self.time = time
        self.flow = flow
        self.observer = observer
        self.sample = sample
    }
}

/// Something that happened.
package struct TimelineEntry: Sendable, Equatable, Codable {
    /// When, Unix ms.
    package var time: Double
    /// What.
    package var type: String
    /// Whether it is a worsening.
    package var isAlarm: Bool
    /// To whom; `nil` for what is the session's.
    package var connection: String?
    /// On which stream; `nil` for what is the connection's.
    package var stream: String?
    /// Of that stream at that connection; `nil` for what is the connection's.
    package var role: StreamRole?
    /// Particulars.
    package var detail: [String: String]

    /// Bytes of entries after which a page ends, however few are in it.
    package static let pageBytes = 4 << 20

    /// What it takes, bytes, about.
    package var weight: Int {
        detail.reduce(64 + type.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 8 }
    }

    /// Creates an entry.
    package init(
        time: Double, type: String, isAlarm: Bool, connection: String?, stream: String?, role: StreamRole?,
        detail: [String: String]
    ) {
        self.time = time
        self.type = type
        self.isAlarm = isAlarm
        self.connection = connection
        self.stream = stream
        self.role = role
        self.detail = detail
    }
}

/// A stored raw report.
package struct ReportEntry: Sendable, Equatable {
    /// When it was made, Unix ms.
    package var time: Double
    /// Where.
    package var flow: FlowDescription
    /// The report, redacted; with a ``ContextEntry`` if it is known what it was judged with.
    package var json: [UInt8]

    /// Bytes of reports after which a page ends, however few are in it.
    package static let pageBytes = 4 << 20
    /// Most reports of which each is the last of its flow: each may be large.
    package static let lastLimit = 500

    /// Creates an entry.
    package init(time: Double, flow: FlowDescription, json: [UInt8]) {
        self.time = time
        self.flow = flow
        self.json = json
    }
}
