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
    /// Weak, and no mere identity: another object may come to be where a released one was.
    private weak var shown: AnyObject?

    /// Feeds a renderer, such as an `RTCMTLVideoView`; shows nothing yet.
    public init(_ renderer: any RTCVideoRenderer) {
        self.renderer = renderer
    }

    deinit { following?.cancel() }

    /// Shows what a subscriber receives from now on, also when another track takes the place of the present one; nothing
    /// once it is unsubscribed.
    public func show(_ subscriber: Subscriber) {
        guard shown !== subscriber else { return }
        stop()
        shown = subscriber
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
        guard shown !== source else { return }
        stop()
        shown = source
        put(source.previewTrack)
    }

    /// Shows a publisher's own camera from now on, as soon as it is published and while it is; a source of the app's in its
    /// settings at once, and until something else is shown, whatever happens to the publisher.
    public func show(_ publisher: Publisher) {
        guard shown !== publisher else { return }
        stop()
        shown = publisher
        if case .source(let source)? = publisher.settings.video {
            put((try? CapturedVideoSource.own(source))?.previewTrack)
        } else {
            follow(publisher)
        }
    }

    private func follow(_ publisher: Publisher) {
        // Before the source is looked for: it may be there a moment later.
        let events = publisher.events()
        put(publisher.ownCamera?.previewTrack)
        following = Task { [weak self, weak publisher] in
            for await _ in events {
                guard !Task.isCancelled else { return }
                self?.put(publisher?.ownCamera?.previewTrack)
            }
            guard !Task.isCancelled else { return }
            self?.put(publisher?.ownCamera?.previewTrack)
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
    /// The camera that it has of this engine while it is published.
    fileprivate var ownCamera: CapturedVideoSource? {
        videoSource.flatMap { try? CapturedVideoSource.own($0) }
    }
}
#endif
