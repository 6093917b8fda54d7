// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import GRDB

extension MinuteCounts.Kind {
    /// The column of the samples.
    var column: String {
        switch self {
        case .condition: "condition"
        case .source: "source"
        case .cause: "cause"
        }
    }
}

extension MinuteCounts {
    /// Adds a row of kind, code and samples.
    mutating func add(_ row: Row) {
        guard let kind = row.integer("kind").flatMap(Kind.init), let code = row.integer("code") else {
            return
        }
        add(kind, code: code, samples: row.count("samples"))
    }
}
