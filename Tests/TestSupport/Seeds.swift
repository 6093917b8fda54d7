// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Seeds for a test that makes things at random: other ones in each run.
///
/// A failure names its seed among the test's arguments; `SIGHTLINE_SEED` repeats it, and then is the only one.
public func freshSeeds(_ count: Int) -> [UInt64] {
    if let seed = ProcessInfo.processInfo.environment["SIGHTLINE_SEED"].flatMap(UInt64.init) { return [seed] }
    return (0..<count).map { _ in UInt64.random(in: 1...999_999_999) }
}
