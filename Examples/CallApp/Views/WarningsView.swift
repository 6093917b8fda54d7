// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Sightline
import SwiftUI

/// The warnings that are raised now; nothing while there are none.
struct WarningsView: View {
    let call: OngoingCall

    var body: some View {
        ForEach(call.warnings, id: \.self) { event in
            Text(call.words(for: event)).foregroundStyle(Color.orange)
        }
    }
}
