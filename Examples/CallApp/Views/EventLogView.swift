// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// What happened: network conditions, the quality of videos, and warnings, newest first.
struct EventLogView: View {
    let log: EventLog
    let close: @MainActor () -> Void

    var body: some View {
        VStack {
            Text("What happened").font(.headline)
            List {
                if log.entries.isEmpty { Text("Nothing so far.") }
                ForEach(log.entries, id: \.id) { event in
                    Text(event.line).font(.footnote)
                }
            }
            Button("Close") { close() }
        }
        .padding()
        // On macOS a sheet is as large as what it must show.
        .frame(minWidth: 320, minHeight: 320)
    }
}
