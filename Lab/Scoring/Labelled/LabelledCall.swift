// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// A synthetic call of `Lab/Counterexamples` or `Lab/Simulator` and what is true of it.
public struct LabelledCall: Sendable, Decodable {
    /// What is wrong for a while.
    public struct Truth: Sendable, Decodable {
        /// Seconds since the first report.
        public var from: Double
        /// Seconds since the first report.
        public var to: Double
        /// The end that shows it.
        public var role: StreamRole
        /// The causes that an expert could name; empty where any answer is fair.
        public var cause: [Diagnosis.Cause]
        /// The sides that an expert could name; `nil` where that means nothing.
        public var side: [String]?
        /// The media section or track that has to be named; `nil` if none.
        public var track: String?
        /// The lowest severity that is right; `nil` if any is.
        public var atLeast: String?
        /// The highest severity that is right; `nil` if any is.
        public var atMost: String?
    }

    /// The name of its recording, without the extension.
    public var name: String
    /// The truth in one sentence.
    public var truth: String
    /// The shape of the reports.
    public var engine: String
    /// Seconds between reports.
    public var interval: Double
    /// The true seconds of each line, where the recorder's clock was set; `nil` where its times are true.
    public var elapsed: [Double]?
    /// What is wrong, and when; nothing is at all other times.
    public var expect: [Truth]

    /// The calls of a folder's `manifest.json`.
    public static func all(in folder: URL) throws -> [LabelledCall] {
        try JSONDecoder().decode(
            [LabelledCall].self, from: Data(contentsOf: folder.appending(path: "manifest.json")))
    }
}
