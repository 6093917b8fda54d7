// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

extension SessionServerConfiguration {
    /// Who is sent metrics and traces by the OpenTelemetry protocol (OTLP/HTTP, JSON).
    package struct OTLPExport: Sendable, Equatable {
        /// Of the collector, such as `http://127.0.0.1:4318`; the path of each signal is appended.
        package var endpoint: URL
        /// Sent with each request, such as credentials.
        package var headers: [String: String]
        /// Whether it is sent traces of calls, in addition to metrics.
        package var hasTraces: Bool

        /// Names a collector.
        package init(endpoint: URL, headers: [String: String] = [:], hasTraces: Bool = true) {
            self.endpoint = endpoint
            self.headers = headers
            self.hasTraces = hasTraces
        }

        /// Reads headers as `OTEL_EXPORTER_OTLP_HEADERS` has them: `name=value`, values percent-encoded, separated by
        /// commas or, in a file, line ends.
        ///
        /// - Throws: ``ConfigurationError`` that says what is wrong, without the values.
        package static func headers(_ text: String) throws(ConfigurationError) -> [String: String] {
            var headers: [String: String] = [:]
            for part in text.split(whereSeparator: { $0 == "," || $0.isNewline }) {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                guard pair != [""] else { continue }
                guard pair.count == 2, isToken(pair[0]), let value = pair[1].removingPercentEncoding,
                    value.unicodeScalars.allSatisfy({ (0x20..<0x7F).contains($0.value) })
                else {
                    throw ConfigurationError(
                        "headers for OTLP should be name=value, with commas or a line each, values percent-encoded"
                    )
                }
                headers[pair[0]] = value
            }
            return headers
        }

        /// Whether it can be a header's name (RFC 9110, 5.6.2).
        private static func isToken(_ text: String) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
        }
    }
}
