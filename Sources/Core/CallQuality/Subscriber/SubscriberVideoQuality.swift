// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices changes of a received video's quality.
struct SubscriberVideoQuality: Sendable {
    private var isInterrupted = false
    private var codec: String?
    private var size: VideoSize?

    /// Takes a tick; returns the change with the highest priority: interruption, codec, resolution.
    ///
    /// - Parameters:
    ///   - dueFor: How long a frame has been overdue, in seconds; `nil` if none is or that is unknown.
    mutating func handle(
        _ figures: MediaFigures, dueFor: Double?, _ rules: VideoRules
    ) -> StreamEvent? {
        let isNow = dueFor.map { $0 >= rules.interruption } ?? false
        let hasCodecChanged = figures.codec != nil && codec != nil && figures.codec != codec
        var new: VideoSize?
        if let width = figures.width, let height = figures.height {
            new = VideoSize(width: width, height: height)
        }
        let hasSizeChanged = new != nil && size != nil && new != size
        codec = figures.codec ?? codec
        size = new ?? size
        if isNow != isInterrupted {
            isInterrupted = isNow
            return .videoQualityChanged(VideoQualityChange(.videoInterruption, isNow ? .trigger : .recover))
        }
        if hasCodecChanged { return .videoQualityChanged(VideoQualityChange(.codecChange)) }
        return hasSizeChanged ? .videoQualityChanged(VideoQualityChange(.resolutionChange)) : nil
    }
}
