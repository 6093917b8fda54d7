// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// One sentence on what is wrong; nothing while nothing is.
struct ProblemText: View {
    let text: String?

    var body: some View {
        if let text { Text(text).foregroundStyle(Color.red) }
    }
}
