// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallQuality
import Sightline
import SwiftUI

/// Someone's video, with bars and the sentence of the diagnosis over it, and on whose side the fault is.
struct ParticipantView: View {
    let participant: Participant
    let level: NetworkQualityLevel

    var body: some View {
        VStack(alignment: .leading) {
            VideoView(participant.subscriber)
                .frame(height: 240)
                .overlay(alignment: .topLeading) {
                    CallQualityOverlay(level, participant.quality.diagnosis)
                }
            Text(participant.name).font(.headline)
            SideText(side: participant.quality.diagnosis?.side(isOwn: false))
            ProblemText(text: participant.connectionNotice)
            ProblemText(text: participant.videoNotice)
        }
    }
}
