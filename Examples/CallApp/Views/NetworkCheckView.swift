// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SwiftUI

/// Progress of the network test, then its sentence, and what to do if it could not be made.
struct NetworkCheckView: View {
    let check: NetworkCheck

    var body: some View {
        VStack(alignment: .leading) {
            if check.isRunning {
                ProgressView(value: check.fraction)
                Button("Stop") { check.stop() }
            }
            if let report = check.report {
                Text(report.sentence)
                ProblemText(text: report.failure?.advice)
            }
        }
    }
}
