// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension NetworkConditionChange {
    /// Such as `good → fair, packets are lost`.
    var words: String {
        let why = reason.words.map { ", \($0)" } ?? ""
        return "\(from.name) → \(to.name)\(why)"
    }
}

extension NetworkReason {
    fileprivate var words: String? {
        switch self {
        case .bandwidth: "too little bandwidth"
        case .packetLoss: "packets are lost"
        case .connection: "no packets arrive"
        case .none, .unknown, .networkConditionChange: nil
        }
    }
}

extension VideoQualityChange {
    /// Such as `too little bandwidth, over`.
    var words: String { phase == .recover ? "\(reason.words), over" : reason.words }
}

extension VideoEventReason {
    /// What changed the video.
    var words: String {
        switch self {
        case .none: "no reason given"
        case .publisherPropertyChanged: "the sender switched it"
        case .subscriberPropertyChanged: "you switched it"
        case .qualityChanged: "the network carries audio alone"
        case .codecNotSupported: "this device cannot decode it"
        case .qualityDegradationBandwidth: "too little bandwidth"
        case .qualityDegradationCPU: "the processor is too slow"
        case .qualityDegradationOther: "the sender limits it"
        case .codecChange: "another codec"
        case .resolutionChange: "another size"
        case .videoInterruption: "it stands still"
        }
    }
}
