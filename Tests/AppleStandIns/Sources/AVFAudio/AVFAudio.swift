// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// What the SDK uses of AVFAudio, by the same names.

open class AVAudioSession: NSObject {
    nonisolated(unsafe) private static let shared = AVAudioSession()
    public let outputVolume: Float = 0.25
    public class func sharedInstance() -> AVAudioSession { shared }
}
