// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

extension Date {
    /// Unix ms, as the core, the store and the API have every time; Foundation's are seconds.
    var unixTime: Double { timeIntervalSince1970 * 1000 }

    /// A time of the core, the store or the API: Unix ms.
    init(unixTime: Double) { self.init(timeIntervalSince1970: unixTime / 1000) }
}
