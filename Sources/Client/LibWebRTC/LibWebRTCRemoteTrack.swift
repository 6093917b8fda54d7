// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine

/// A track received by libwebrtc.
final class LibWebRTCRemoteTrack: RemoteTrack {
    private let native: NativeRemoteTrack

    init(_ native: NativeRemoteTrack) {
        self.native = native
    }

    var id: String { native.id }
    var mid: String { native.mid }
    var kind: MediaKind { native.isVideo ? .video : .audio }

    func setEnabled(_ isEnabled: Bool) {
        native.setEnabled(isEnabled)
    }

    func setFrameHandler(_ handler: (@Sendable (ReceivedFrame) -> Void)?) {
        guard let handler else { return native.setFrameHandler(nil) }
        native.setFrameHandler { handler(ReceivedFrame($0)) }
    }

    func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        guard let handler else { return native.setFrameHandler(nil) }
        native.setFrameHandler { handler(ReceivedFrame($0), I420Frame($0)) }
    }

    func setAudioHandler(_ handler: (@Sendable (ReceivedAudio) -> Void)?) {
        guard let handler else { return native.setAudioHandler(nil) }
        native.setAudioHandler { handler(ReceivedAudio($0)) }
    }
}

extension ReceivedAudio {
    fileprivate init(_ block: sl_audio_block) {
        let count = Int(block.count) * Int(block.channels)
        self.init(
            samples: Array(UnsafeBufferPointer(start: block.samples, count: count)),
            channels: Int(block.channels), sampleRate: Int(block.sample_rate), receivedAt: block.received_us)
    }
}

extension ReceivedFrame {
    fileprivate init(_ frame: sl_frame) {
        self.init(
            width: Int(frame.width), height: Int(frame.height), number: UInt32(exactly: frame.number),
            receivedAt: frame.received_us)
    }
}

extension I420Frame {
    fileprivate init(_ frame: sl_frame) {
        let width = Int(frame.width), height = Int(frame.height)
        let chromaWidth = (width + 1) / 2, chromaHeight = (height + 1) / 2
        self.init(
            width: width, height: height, y: Self.copy(frame.y, frame.stride_y, width, height),
            u: Self.copy(frame.u, frame.stride_u, chromaWidth, chromaHeight),
            v: Self.copy(frame.v, frame.stride_v, chromaWidth, chromaHeight))
    }

    /// The plane without what is between its rows.
    private static func copy(
        _ plane: UnsafePointer<UInt8>?, _ stride: Int32, _ width: Int, _ height: Int
    ) -> [UInt8] {
        guard let plane else { return [] }
        return [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            for row in 0..<height {
                (target + row * width).initialize(from: plane + row * Int(stride), count: width)
            }
            count = width * height
        }
    }
}
