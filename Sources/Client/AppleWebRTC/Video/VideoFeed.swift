// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Sightline
import WebRTC

/// Gives one renderer the video of a subscriber or of a publisher, whichever track that comes in.
///
/// What ``VideoView`` is made of; for views of UIKit, AppKit and the app's own renderers.
@MainActor
public final class VideoFeed {
    private let renderer: any RTCVideoRenderer
    private var track: RTCVideoTrack?
    private var following: Task<Void, Never>?
    private var shown: ObjectIdentifier?

    /// Feeds a renderer, such as an `RTCMTLVideoView`; shows nothing yet.
    public init(_ renderer: any RTCVideoRenderer) {
        self.renderer = renderer
    }

    deinit { following?.cancel() }

    /// Shows what a subscriber receives from now on, also when another track takes the place of the present one; nothing
    /// once it is unsubscribed.
    public func show(_ subscriber: Subscriber) {
        guard shown != ObjectIdentifier(subscriber) else { return }
        stop()
        shown = ObjectIdentifier(subscriber)
        let tracks = subscriber.videoTracks()
        put((subscriber.videoTrack as? AppleWebRTCRemoteTrack)?.track)
        following = Task { [weak self] in
            for await track in tracks {
                guard !Task.isCancelled else { return }
                self?.put((track as? AppleWebRTCRemoteTrack)?.track)
            }
            guard !Task.isCancelled else { return }
            self?.put(nil)
        }
    }

    /// Shows what is captured, before and while it is sent.
    public func show(_ source: CapturedVideoSource) {
        guard shown != ObjectIdentifier(source) else { return }
        stop()
        shown = ObjectIdentifier(source)
        put(source.previewTrack)
    }

    /// Shows a publisher's own camera from now on, as soon as it is published and while it is; a source of the app's in its
    /// settings at once, and for as long as the app captures it.
    public func show(_ publisher: Publisher) {
        guard shown != ObjectIdentifier(publisher) else { return }
        stop()
        shown = ObjectIdentifier(publisher)
        // Before the source is looked for: it may be there a moment later.
        let events = publisher.events()
        put(publisher.capturedVideo?.previewTrack)
        following = Task { [weak self, weak publisher] in
            for await _ in events {
                guard !Task.isCancelled else { return }
                self?.put(publisher?.capturedVideo?.previewTrack)
            }
            guard !Task.isCancelled else { return }
            self?.put(publisher?.capturedVideo?.previewTrack)
        }
    }

    /// Shows nothing from now on.
    public func stop() {
        following?.cancel()
        following = nil
        shown = nil
        put(nil)
    }

    private func put(_ next: RTCMediaStreamTrack?) {
        guard next !== track else { return }
        track?.remove(renderer)
        track = next as? RTCVideoTrack
        track?.add(renderer)
    }
}

extension Publisher {
    /// The source of its video, if this engine captures it.
    fileprivate var capturedVideo: CapturedVideoSource? {
        if case .source(let source)? = settings.video { return try? CapturedVideoSource.own(source) }
        return videoSource.flatMap { try? CapturedVideoSource.own($0) }
    }
}
#endif
