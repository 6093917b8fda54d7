// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// As in SwiftUI.
@MainActor public protocol App {
    /// As in SwiftUI.
    associatedtype Body: Scene
    /// As in SwiftUI.
    @SceneBuilder var body: Body { get }
    /// As in SwiftUI.
    init()
}

extension App {
    /// As in SwiftUI, but for the screen: there is none.
    public static func main() { _ = Self().body }
}

/// As in SwiftUI.
@MainActor public protocol Scene {}

/// As in SwiftUI.
@resultBuilder @MainActor public enum SceneBuilder {
    /// As in SwiftUI.
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// As in SwiftUI on macOS, where it is one window.
public struct Window<Content: View>: Scene {
    /// What is in it, for tests.
    @_spi(StandIn) public let content: () -> Content
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, id: String, @ViewBuilder content: @escaping () -> Content) {
        self.content = content
    }
}
