// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LineEmulation

/// The system's `gzip`; recordings are read packed.
enum Gzip {
    /// Replaces a file by a compressed one, equal for equal content.
    static func pack(_ file: URL) throws { try Tool.run("gzip", "-9", "-n", "-f", file.path) }
}
