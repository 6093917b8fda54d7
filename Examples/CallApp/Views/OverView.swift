// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// The call is over: why, if it ended by itself, and what happened in it.
struct OverView: View {
    let model: AppModel
    let log: EventLog
    let problem: String?

    var body: some View {
        VStack {
            Text("The call is over.").font(.headline)
            ProblemText(text: problem)
            EventLogView(log: log) { Task { await model.close() } }
        }
    }
}
