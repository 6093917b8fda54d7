// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(SwiftUI) && canImport(WebRTC)
import Sightline
import SwiftUI
import WebRTC

/// A participant's video, or one's own, in SwiftUI.
///
/// ```swift
/// VideoView(subscriber)
///     .overlay(alignment: .topLeading) { CallQualityOverlay(level, diagnosis) }
/// ```
public struct VideoView {
    private enum Content {
        case subscriber(Subscriber)
        case publisher(Publisher)
        case source(CapturedVideoSource)
    }

    private let content: Content
    private let fills: Bool

    /// Shows what a subscriber receives.
    ///
    /// - Parameters:
    ///   - subscriber: The subscriber.
    ///   - fills: Whether frames fill the view, and lose what is beyond it; else all of them is seen. On macOS it is
    ///     always seen whole.
    public init(_ subscriber: Subscriber, fills: Bool = false) {
        content = .subscriber(subscriber)
        self.fills = fills
    }

    /// Shows a publisher's own camera, as soon as it is published; `.scaleEffect(x: -1)` makes a mirror of it.
    public init(preview publisher: Publisher, fills: Bool = false) {
        content = .publisher(publisher)
        self.fills = fills
    }

    /// Shows what is captured, also before anything is published.
    public init(preview source: CapturedVideoSource, fills: Bool = false) {
        content = .source(source)
        self.fills = fills
    }

    @MainActor private func show(in feed: VideoFeed?) {
        switch content {
        case .subscriber(let subscriber): feed?.show(subscriber)
        case .publisher(let publisher): feed?.show(publisher)
        case .source(let source): feed?.show(source)
        }
    }
}

extension VideoView {
    /// Holds what feeds the view.
    @MainActor public final class Coordinator {
        var feed: VideoFeed?
    }

    /// Makes the holder of what feeds the view.
    @MainActor public func makeCoordinator() -> Coordinator { Coordinator() }
}

#if os(macOS)
extension VideoView: NSViewRepresentable {
    /// Makes the framework's view.
    public func makeNSView(context: Context) -> RTCMTLNSVideoView {
        let view = RTCMTLNSVideoView()
        context.coordinator.feed = VideoFeed(view)
        return view
    }

    /// Shows what there is to be shown now.
    public func updateNSView(_ view: RTCMTLNSVideoView, context: Context) {
        show(in: context.coordinator.feed)
    }

    /// Releases the track.
    public static func dismantleNSView(_ view: RTCMTLNSVideoView, coordinator: Coordinator) {
        coordinator.feed?.stop()
    }
}
#else
extension VideoView: UIViewRepresentable {
    /// Makes the framework's view.
    public func makeUIView(context: Context) -> RTCMTLVideoView {
        let view = RTCMTLVideoView()
        context.coordinator.feed = VideoFeed(view)
        return view
    }

    /// Shows what there is to be shown now.
    public func updateUIView(_ view: RTCMTLVideoView, context: Context) {
        view.videoContentMode = fills ? .scaleAspectFill : .scaleAspectFit
        show(in: context.coordinator.feed)
    }

    /// Releases the track.
    public static func dismantleUIView(_ view: RTCMTLVideoView, coordinator: Coordinator) {
        coordinator.feed?.stop()
    }
}
#endif
#endif
