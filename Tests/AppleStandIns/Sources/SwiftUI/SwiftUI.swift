// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// What AppleWebRTC uses of SwiftUI, by the same names; nothing of it draws.

/// A view.
@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    /// No one asks for it: a view of SwiftUI's own has no body either, and there it ends the program too.
    public var body: Never { fatalError("no view") }
}

/// Views that have no body of their own.
public protocol StandInView: View where Body == Never {}
extension StandInView {
    /// No one asks for it: a view of SwiftUI's own has no body either, and there it ends the program too.
    public var body: Never { fatalError("no view") }
}

/// Views side by side.
public struct TupleView: StandInView {
    /// The views.
    public let views: [any View]
}

extension Optional: View where Wrapped: View {
    /// No one asks for it: a view of SwiftUI's own has no body either, and there it ends the program too.
    public var body: Never { fatalError("no view") }
}

/// Builds views.
@resultBuilder @MainActor public enum ViewBuilder {
    /// As in SwiftUI.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// As in SwiftUI.
    public static func buildBlock<A: View, B: View>(_ a: A, _ b: B) -> TupleView { TupleView(views: [a, b]) }
    /// As in SwiftUI.
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

/// A colour.
public struct Color: StandInView, Hashable, Sendable {
    nonisolated let name: String
    /// As in SwiftUI.
    nonisolated public static let green = Color(name: "green")
    /// As in SwiftUI.
    nonisolated public static let orange = Color(name: "orange")
    /// As in SwiftUI.
    nonisolated public static let red = Color(name: "red")
    /// As in SwiftUI.
    nonisolated public static let gray = Color(name: "gray")
    /// As in SwiftUI.
    nonisolated public static let black = Color(name: "black")
    /// As in SwiftUI.
    nonisolated public func opacity(_ opacity: Double) -> Color { Color(name: "\(name) \(opacity)") }
}

/// As in SwiftUI.
public struct VerticalAlignment: Sendable {
    /// As in SwiftUI.
    public static let bottom = VerticalAlignment()
    /// As in SwiftUI.
    public static let center = VerticalAlignment()
}

/// As in SwiftUI.
public struct Font: Sendable {
    /// As in SwiftUI.
    public static let footnote = Font()
}

/// As in SwiftUI.
public struct AccessibilityChildBehavior: Sendable {
    /// As in SwiftUI.
    public static let ignore = AccessibilityChildBehavior()
}

/// As in SwiftUI.
public struct HStack<Content: View>: StandInView {
    /// As in SwiftUI.
    public let content: Content
    /// As in SwiftUI.
    public init(alignment: VerticalAlignment, spacing: Double?, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

/// As in SwiftUI.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: StandInView {
    /// As in SwiftUI.
    public let views: [Content]
    /// As in SwiftUI.
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: (Data.Element) -> Content
    ) {
        views = data.map(content)
    }
}

/// As in SwiftUI.
public struct RoundedRectangle: StandInView {
    /// As in SwiftUI.
    public init(cornerRadius: Double) {}
    /// As in SwiftUI.
    public func fill(_ color: Color) -> Color { color }
}

/// As in SwiftUI.
public struct Text: StandInView {
    /// As in SwiftUI.
    public let text: String
    /// As in SwiftUI.
    public init(_ text: String) { self.text = text }
}

extension View {
    /// As in SwiftUI.
    public func frame(width: Double?, height: Double?) -> some View { self }
    /// As in SwiftUI.
    public func padding(_ length: Double) -> some View { self }
    /// As in SwiftUI.
    public func background(_ color: Color) -> some View { self }
    /// As in SwiftUI.
    public func font(_ font: Font) -> some View { self }
    /// As in SwiftUI.
    public func foregroundStyle(_ color: Color) -> some View { self }
    /// As in SwiftUI.
    public func accessibilityElement(children: AccessibilityChildBehavior) -> some View { self }
    /// As in SwiftUI.
    public func accessibilityLabel(_ label: String) -> some View { self }
}

/// As in SwiftUI.
@MainActor public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    /// As in SwiftUI.
    public let coordinator: Representable.Coordinator
    /// Makes one, which SwiftUI does itself.
    public init(coordinator: Representable.Coordinator) { self.coordinator = coordinator }
}

/// As in SwiftUI.
@MainActor public protocol UIViewRepresentable: StandInView {
    /// As in SwiftUI.
    associatedtype UIViewType
    /// As in SwiftUI.
    associatedtype Coordinator
    /// As in SwiftUI.
    typealias Context = UIViewRepresentableContext<Self>
    /// As in SwiftUI.
    func makeUIView(context: Context) -> UIViewType
    /// As in SwiftUI.
    func updateUIView(_ view: UIViewType, context: Context)
    /// As in SwiftUI.
    static func dismantleUIView(_ view: UIViewType, coordinator: Coordinator)
    /// As in SwiftUI.
    func makeCoordinator() -> Coordinator
}
