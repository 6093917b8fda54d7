// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a video source shows.
public enum VideoContent: Sendable, Equatable {
    /// A moving frame generated here, which carries its frame number.
    case testCard(width: Int, height: Int, frameRate: Double, isScreen: Bool = false)
    /// A Y4M file (4:2:0, 8 bits), played in a loop.
    case file(path: String)
}

/// A source of video for one sender.
///
/// Runs from creation until its last owner releases it.
public protocol VideoSource: AnyObject, Sendable {
    /// Size of its frames.
    var dimensions: VideoSize { get }
    /// Frames made so far.
    var frameCount: UInt64 { get }
    /// Frames a second from now on, 0.1 to 120.
    func setFrameRate(_ framesPerSecond: Double)
    /// Stops sending changes while on: the frame of a screen that no one touches.
    func setStill(_ isStill: Bool)
    /// Makes no video while off: a camera that is off.
    func setEnabled(_ isEnabled: Bool)
    /// Makes each frame take this much longer to encode, to provoke a device that is too slow; ms, 0 for
    /// none.
    func setEncodeDelay(milliseconds: Int)
}

/// What an audio source plays.
public enum AudioContent: Sendable, Equatable {
    /// Digital silence.
    case silence
    /// A sine.
    case tone(frequency: Double)
    /// Syllables and pauses with the spectrum of a voice; equal seeds sound alike.
    case speech(seed: UInt64)
    /// A WAV file (16-bit PCM), played in a loop.
    case file(path: String)
}

/// A source of audio for one sender.
///
/// Runs from creation until its last owner releases it.
public protocol AudioSource: AnyObject, Sendable {
    /// Plays something else from now on. A file cannot be changed to.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported`).
    func play(_ content: AudioContent) throws
    /// Peak level from now on, 0 to 1.
    func setLevel(_ level: Double)
}

/// A track of the other side.
public protocol RemoteTrack: AnyObject, Sendable {
    /// Id of the track.
    var id: String { get }
    /// Media section it came in.
    var mid: String { get }
    /// Audio or video.
    var kind: MediaKind { get }
    /// Plays or decodes nothing while off.
    func setEnabled(_ isEnabled: Bool)
    /// Delivers frames until another call; `nil` ends it. No effect on audio.
    ///
    /// `handler` runs on a decoder's thread, which waits for it: it must only pass the frame on.
    func setFrameHandler(_ handler: (@Sendable (ReceivedFrame) -> Void)?)
    /// Delivers frames with their pixels until another call; `nil` ends it. No effect on audio.
    ///
    /// Replaces the handler of ``setFrameHandler(_:)``, and is replaced by it. `handler` runs on a decoder's
    /// thread, which waits for it.
    func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?)
    /// Delivers the audio as it is played out, what was concealed included, until another call; `nil` ends it. No
    /// effect on video.
    ///
    /// `handler` runs on the thread that plays audio out, which waits for it: it must only pass the audio on.
    func setAudioHandler(_ handler: (@Sendable (ReceivedAudio) -> Void)?)
}

extension RemoteTrack {
    /// For engines that do not hand out samples: delivers nothing.
    public func setAudioHandler(_ handler: (@Sendable (ReceivedAudio) -> Void)?) {}

    /// For engines that do not hand out pixels: delivers nothing.
    public func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        setFrameHandler(nil)
    }
}

/// The pixels of a decoded frame: planes of 8 bits, rows without gaps, chroma at half the size (rounded up).
public struct I420Frame: Sendable, Equatable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// Luma, `width` times `height` bytes.
    public var y: [UInt8]
    /// Blue-difference chroma.
    public var u: [UInt8]
    /// Red-difference chroma.
    public var v: [UInt8]

    /// Holds planes.
    public init(width: Int, height: Int, y: [UInt8], u: [UInt8], v: [UInt8]) {
        self.width = width
        self.height = height
        self.y = y
        self.u = u
        self.v = v
    }
}

/// What is known of a decoded frame.
public struct ReceivedFrame: Sendable, Equatable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// The test card's frame number; `nil` if the frame carries none.
    public var number: UInt32?
    /// When it was received, µs on a monotonic clock.
    public var receivedAt: Int64

    /// Describes a frame.
    public init(width: Int, height: Int, number: UInt32?, receivedAt: Int64) {
        self.width = width
        self.height = height
        self.number = number
        self.receivedAt = receivedAt
    }
}

/// A block of decoded audio, usually 10 ms.
public struct ReceivedAudio: Sendable, Equatable {
    /// 16-bit PCM, channels interleaved.
    public var samples: [Int16]
    /// Number of channels.
    public var channels: Int
    /// Samples of each channel per second.
    public var sampleRate: Int
    /// When it was played out, µs on a monotonic clock.
    public var receivedAt: Int64

    /// Holds samples.
    public init(samples: [Int16], channels: Int, sampleRate: Int, receivedAt: Int64) {
        self.samples = samples
        self.channels = channels
        self.sampleRate = sampleRate
        self.receivedAt = receivedAt
    }
}
