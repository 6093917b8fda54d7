// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Participants of a stored call, and notes about what is missing.
struct StoredCallTable: Sendable {
    let call: StoredCallFacts
    /// The call's beginning, Unix ms; `nil` if nothing was measured.
    let from: Double?

    var html: HTML {
        let lines: [HTML] = call.participants.map { one in
            let left = one.left.map(clock) ?? "still there"
            let why = one.reason.map { " (\($0))" } ?? ""
            return """
                <tr><th scope="row">\(one.name)</th><td>\(one.role)</td><td>\(one.client ?? NumberFormat.absent)</td>\
                <td>\(clock(one.joined))</td><td>\(left)\(why)</td></tr>

                """
        }
        let notes: [HTML] = call.notes.map { "<p>\($0)</p>\n" }
        return """
            <div class="scroll"><table><thead><tr><th scope="col">participant</th><th scope="col">role</th>\
            <th scope="col">software</th><th scope="col">joined</th><th scope="col">left</th></tr></thead><tbody>
            \(lines)</tbody></table></div>
            \(notes)
            """
    }

    /// A time of the call; who came before its first figures was there from its beginning.
    private func clock(_ time: Double) -> String {
        from.map { NumberFormat.clock(time - $0) } ?? NumberFormat.absent
    }
}
