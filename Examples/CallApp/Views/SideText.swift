// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// On whose side the fault is; nothing while there is none, or while that is not known.
struct SideText: View {
    let side: String?

    var body: some View {
        if let side { Text(side).font(.footnote).foregroundStyle(Color.gray) }
    }
}
