// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The processes of this machine.
///
/// Linux only; elsewhere it is empty.
package enum ProcessTable {
    /// Ids of the processes whose command line (its words joined by spaces) matches.
    package static func processes(_ matches: (String) -> Bool) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { id in
            guard let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else {
                return false
            }
            return matches(
                words.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "))
        }
    }

    /// Ids of the processes that a process has started, and that have not ended.
    package static func children(of id: Int32) -> [Int32] {
        processes { _ in true }.filter { parent(of: $0) == id }
    }

    /// The parent of a process; `nil` if there is no such process.
    package static func parent(of id: Int32) -> Int32? {
        guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
