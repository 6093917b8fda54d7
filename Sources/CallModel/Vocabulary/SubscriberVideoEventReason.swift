// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a subscriber's video quality, or its being received at all, changed.
///
/// Numbers are Vonage's (`OTSubscriberVideoEventReason`), shared with ``PublisherVideoEventReason``.
public enum SubscriberVideoEventReason: Int, CodableByName {
    /// Nothing notable.
    case none = 0
    /// The publisher turned its video on or off.
    case publisherPropertyChanged = 1
    /// This subscriber asked for video or stopped asking for it.
    case subscriberPropertyChanged = 2
    /// The stream's quality changed so much that video was switched; goes with audio fallback.
    case qualityChanged = 3
    /// The device cannot decode the stream's codec.
    case codecNotSupported = 4
    /// The stream's codec changed.
    case codecChange = 8
    /// The decoded size changed.
    case resolutionChange = 9
    /// No frame came for long though one was due, or frames came again.
    case videoInterruption = 10

    /// The name of each case.
    public static let names = caseNames()
}
