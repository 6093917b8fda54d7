// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a stream's video changed, with the vendors' numbers.
public enum VideoEventReason: Int, CodableByName {
    /// Nothing notable.
    case none = 0
    /// The publisher turned its video on or off.
    case publisherPropertyChanged = 1
    /// This subscriber requested video or stopped requesting it.
    case subscriberPropertyChanged = 2
    /// Audio fallback switched the video off or on again.
    case qualityChanged = 3
    /// The device cannot decode the stream's codec.
    case codecNotSupported = 4
    /// There is not enough bandwidth.
    case qualityDegradationBandwidth = 5
    /// The device's processor is too slow.
    case qualityDegradationCPU = 6
    /// Limited by something else.
    case qualityDegradationOther = 7
    /// The stream's codec changed.
    case codecChange = 8
    /// The encoded or decoded size, or the set of layers, changed.
    case resolutionChange = 9
    /// No frame came for long though one was due, or frames came again.
    case videoInterruption = 10

    /// The name of each case.
    public static let names = caseNames()
}
