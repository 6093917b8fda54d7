// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PreCallReport {
    /// The verdict in one sentence for people.
    public var sentence: String {
        if let failure {
            let end = failure.message.last.map { ".?!".contains($0) } == true ? "" : "."
            let what = failure.isOfTheNetwork ? "Neither audio nor video is possible" : "Could not test"
            return "\(what) (step: \(failure.step.title)): \(failure.message)\(end)"
        }
        switch verdict {
        case .audioAndVideo:
            guard let recommendation else {
                // The engine could not fill the network, so no size can be recommended.
                return uplink?.bandwidthIsAtLeast == true
                    ? "Audio and video are possible; how much more the uplink carries was not measured."
                    : "Audio and video are possible."
            }
            return "Audio and video are possible, up to \(recommendation.width)x\(recommendation.height) at "
                + "\(Int(recommendation.frameRate)) frames a second."
        case .audioOnly:
            return "Audio is possible, video is not: \(video?.reason?.text ?? "its limits are not met")."
        case .neither:
            return
                "Neither audio nor video is possible: \(audio?.reason?.text ?? "their limits are not met")."
        }
    }
}
