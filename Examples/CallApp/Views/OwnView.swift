// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallQuality
import Sightline
import SwiftUI

/// The own preview with bars and sentence, and the switches of microphone and camera.
struct OwnView: View {
    @Bindable var own: OwnStream
    let level: NetworkQualityLevel

    var body: some View {
        VStack(alignment: .leading) {
            CallQualityOverlay(level, own.quality.diagnosis)
            SideText(side: own.quality.diagnosis?.side(isOwn: true))
            ProblemText(text: own.problem)
            HStack {
                if own.hasVideo {
                    VideoView(preview: own.publisher)
                        .scaleEffect(x: -1)
                        .frame(width: 120, height: 90)
                }
                VStack {
                    Toggle("Microphone", isOn: $own.isMicrophoneOn)
                    Toggle("Camera", isOn: $own.isCameraOn).disabled(!own.hasVideo)
                }
            }
        }
        .padding()
    }
}
