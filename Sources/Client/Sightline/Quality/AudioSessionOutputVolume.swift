// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(AVFAudio) && !os(macOS)
import AVFAudio

/// The volume of the shared `AVAudioSession`: what the volume buttons set.
public struct AudioSessionOutputVolume: OutputVolumeSource {
    /// Asks the shared audio session.
    public init() {}

    /// `AVAudioSession.outputVolume`; never `nil`.
    public func outputVolume() async -> Double? { Double(AVAudioSession.sharedInstance().outputVolume) }
}
#endif
