// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a publisher's video quality, or its being sent at all, changed.
///
/// Numbers are Vonage's (`OTPublisherVideoEventReason`), shared with ``SubscriberVideoEventReason``.
public enum PublisherVideoEventReason: Int, CodableByName {
    /// Nothing notable.
    case none = 0
    /// The publisher turned its video on or off.
    case publisherPropertyChanged = 1
    /// The stream's quality changed so much that video was switched; goes with audio fallback.
    case qualityChanged = 3
    /// There is not enough bandwidth.
    case qualityDegradationBandwidth = 5
    /// The device's processor is too slow.
    case qualityDegradationCPU = 6
    /// Limited by something else.
    case qualityDegradationOther = 7
    /// The stream's codec changed.
    case codecChange = 8
    /// The encoded size, or the set of layers, changed.
    case resolutionChange = 9

    /// The name of each case.
    public static let names = caseNames()
}
