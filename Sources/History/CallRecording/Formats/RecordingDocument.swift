// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A form of recording that is one JSON value, which has to be read as a whole.
protocol RecordingDocument: LineFormat {
    /// What the form is called to people.
    static var name: String { get }

    /// The reports of a document; what is wrong with it goes to the context's issues.
    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport]

    /// Where in a document that breaks off its end is, for people; `nil` if unknown.
    static func end(of value: StatsValue) -> String?
}

extension RecordingDocument {
    /// The reports of a document that stands on one line.
    mutating func reports(
        ofLine bytes: [UInt8], _ context: inout LineContext
    ) throws(StatsParseError) -> [RecordedReport] {
        reports(of: try StatsValue.parse(bytes, limits: context.limits.parseLimits), &context)
    }

    /// The reports of a document; of one that breaks off or is damaged, what came before.
    ///
    /// - Throws: ``RecordingError`` if it is not JSON and nothing of it can be read.
    mutating func reports(
        of bytes: [UInt8], _ context: inout LineContext
    ) throws(RecordingError) -> [RecordedReport] {
        var limits = context.limits.parseLimits
        limits.bytes = context.limits.documentBytes
        context.line = 1
        do throws(StatsParseError) {
            return reports(of: try StatsValue.parse(bytes, limits: limits), &context)
        } catch {
            let rest = Self.beginning(of: bytes, upTo: error.offset, limits)
            let read = rest.map { reports(of: $0, &context) } ?? []
            guard let rest, !read.isEmpty else {
                throw RecordingError(
                    .invalidJSON, "The document of \(Self.name) is not valid JSON at byte \(error.offset).")
            }
            let place = Self.end(of: rest).map { ", in \($0)" } ?? ""
            context.note(
                .truncated,
                "The document breaks off at byte \(error.offset)\(place): what follows there is missing.")
            return read
        }
    }

    private static func beginning(of bytes: [UInt8], upTo end: Int, _ limits: ParseLimits) -> StatsValue? {
        guard let closed = JSONBeginning.closed(bytes.prefix(max(end, 0))) else { return nil }
        return try? StatsValue.parse(closed, limits: limits)
    }
}

/// The beginning of a JSON text, closed so that it is one itself.
enum JSONBeginning {
    /// The text up to the last whole value, with the ends of all that is open; `nil` if there is no whole value.
    static func closed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var open: [UInt8] = []
        var isString = false
        var isEscaped = false
        // Brackets are places to cut as commas are, so what is open there is what is open at the end.
        var cut: Int?
        for (index, byte) in zip(text.indices, text) {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                cut = index + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == byte else { return nil }
                cut = index + 1
            case UInt8(ascii: ","): cut = index
            default: break
            }
        }
        return cut.map { Array(text[..<$0]) + open.reversed() }
    }
}
