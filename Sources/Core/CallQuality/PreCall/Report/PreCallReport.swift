// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Result of a pre-call test.
///
/// Every figure that could not be measured is `nil`; none is ever a NaN.
public struct PreCallReport: Sendable, Equatable, Codable {
    /// What can be published.
    public var verdict: PreCallVerdict
    /// Confidence of the verdict, 0 to 1; `nil` without the quality stage, and after a failure.
    public var confidence: Double?
    /// Why the test could not be carried through; `nil` if it was.
    public var failure: PreCallFailure?
    /// Whether it ended before its time because the verdict could no longer change.
    public var endedEarly = false
    /// When, and how long.
    public var timing: Timing
    /// Its steps as far as they came, in their order.
    public var steps: [PreCallStepResult] = []
    /// How the client reached the media router.
    public var connectivity = Connectivity()
    /// Audio; `nil` without the quality stage.
    public var audio: Media?
    /// Video; `nil` without the quality stage.
    public var video: Media?
    /// From the client to the media router, as the router received it; `nil` without the quality stage,
    /// unless a failure before it was this direction's.
    public var uplink: Path?
    /// From the media router to the client; `nil` without the quality stage, unless a failure before it was
    /// this direction's.
    public var downlink: Path?
    /// The largest frame size that the uplink can carry; `nil` if video cannot be published or nothing is
    /// known of it.
    public var recommendation: Recommendation?
    /// What limited the test's video; `nil` if nothing did.
    public var limitation: Limitation?
    /// Grade of each frame size by the thresholds in use.
    public var sizes: [SizeGrade] = []
    /// Measurements during the quality stage.
    public var samples: [PreCallSample] = []

    /// An empty report.
    public init(verdict: PreCallVerdict, timing: Timing) {
        self.verdict = verdict
        self.timing = timing
    }

    /// When a test was made, and how long it took.
    public struct Timing: Sendable, Equatable, Codable {
        /// Unix ms.
        public var start: Double
        /// Unix ms.
        public var end: Double
        /// ms.
        public var duration: Double

        /// Describes a time.
        public init(start: Double, end: Double, duration: Double) {
            self.start = start
            self.end = end
            self.duration = duration
        }
    }

    /// How good video or audio would be.
    public typealias Grade = PreCallGrade
    /// Grade of a resolution.
    public typealias SizeGrade = PreCallSizeGrade
    /// What limited the video.
    public typealias Limitation = PreCallLimitation

    /// What to publish.
    public struct Recommendation: Sendable, Equatable, Codable {
        /// Pixels.
        public var width: Int
        /// Pixels.
        public var height: Int
        /// Frames a second.
        public var frameRate: Double

        /// Describes a frame.
        public init(width: Int, height: Int, frameRate: Double) {
            self.width = width
            self.height = height
            self.frameRate = frameRate
        }
    }
}
