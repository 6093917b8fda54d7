// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A release whose formats later versions read, as `Scripts/keep-formats.py` has written them down.
package struct KeptRelease: Sendable, CustomStringConvertible {
    /// A file could not be unpacked.
    package struct UnpackError: Error, CustomStringConvertible {
        package var description: String
    }

    private static let folder = Repository.fixture("kept")

    /// All of them.
    package static let all: [Self] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map(Self.init).filter {
            FileManager.default.fileExists(atPath: $0.file("openapi.json").path)
        }
    }()

    /// Its version, such as `0.2.0`.
    package let version: String

    package var description: String { version }

    package func file(_ name: String) -> URL {
        Self.folder.appending(path: version).appending(path: name)
    }

    package func lines(_ name: String) throws -> [String] {
        try String(contentsOf: file(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    package func json(_ name: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(contentsOf: file(name)))
    }

    /// Writes what a file packed with gzip holds to a path.
    package func unpack(_ name: String, to path: String) async throws {
        let words = ["-c", #"gzip -dc "$1" > "$2""#, "sh", file(name).path, path]
        let process = try ChildProcess(URL(filePath: "/bin/sh"), words)
        guard try await process.exitCode() == 0 else { throw UnpackError(description: process.errors) }
    }

    /// Where a value of the release is not found in this version's: its members that are missing or have other values.
    package static func lost(_ old: Any, in new: Any?, at place: String = "") -> [String] {
        switch (old, new) {
        case (let old as [String: Any], let new as [String: Any]):
            old.sorted { $0.key < $1.key }.flatMap {
                lost($0.value, in: new[$0.key], at: "\(place).\($0.key)")
            }
        case (let old as [Any], let new as [Any]) where old.count == new.count:
            zip(old, new).enumerated().flatMap { lost($1.0, in: $1.1, at: "\(place)[\($0)]") }
        default: (old as? NSObject) == (new as? NSObject) ? [] : [place]
        }
    }
}
