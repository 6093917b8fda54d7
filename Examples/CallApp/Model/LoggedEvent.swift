// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// One line of what happened.
struct LoggedEvent: Sendable, Equatable {
    /// Counts them.
    let id: Int
    let time = Date()
    let text: String

    /// The line as it is shown.
    var line: String { "\(time.formatted(date: .omitted, time: .standard))  \(text)" }
}
