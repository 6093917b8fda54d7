// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser

/// How results are shown.
package enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case text
    case json
}

/// Where text goes.
package typealias TextSink = (String) -> Void
