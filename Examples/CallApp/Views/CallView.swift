// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Sightline
import SwiftUI

/// The call: the others, oneself, what is wrong, and the switches.
struct CallView: View {
    let model: AppModel
    let call: OngoingCall
    @State private var showsLog = false

    var body: some View {
        VStack {
            ProblemText(text: call.quality.phase == .reconnecting ? "Reconnecting to the server…" : nil)
            ProblemText(text: call.audioProblem)
            List {
                ForEach(call.participants, id: \.id) { participant in
                    ParticipantView(
                        participant: participant, level: call.level(of: participant.connectionId))
                }
                if call.participants.isEmpty { Text("No one else publishes yet.") }
                WarningsView(call: call)
            }
            if let own = call.own { OwnView(own: own, level: call.level) }
            HStack {
                Button("What happened") { showsLog = true }
                Button("Leave", role: .destructive) { Task { await call.leave() } }
            }
            .padding()
        }
        .sheet(isPresented: $showsLog) {
            EventLogView(log: call.log) { showsLog = false }
        }
    }
}
