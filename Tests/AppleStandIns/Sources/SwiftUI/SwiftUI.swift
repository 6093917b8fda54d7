// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// What AppleWebRTC and the sample app use of SwiftUI, by the same names; nothing of it draws.

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
public protocol StandInView: View where Body == Never {
    /// The views in it, for tests.
    var children: [any View] { get }
}

extension StandInView {
    /// No one asks for it: a view of SwiftUI's own has no body either, and there it ends the program too.
    public var body: Never { fatalError("no view") }
    /// None.
    public var children: [any View] { [] }
}

/// Views side by side.
public struct TupleView: StandInView {
    /// The views.
    public let views: [any View]
    /// What is in it, for tests.
    public var children: [any View] { views }
}

extension Optional: View, StandInView where Wrapped: View {
    /// What is in it, for tests.
    public var children: [any View] { map { [$0] } ?? [] }
}

/// Builds views.
@resultBuilder @MainActor public enum ViewBuilder {
    /// As in SwiftUI.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// As in SwiftUI.
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView {
        var views: [any View] = []
        for view in repeat each content { views.append(view) }
        return TupleView(views: views)
    }
    /// As in SwiftUI.
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    /// As in SwiftUI.
    public static func buildEither<Then: View, Else: View>(first: Then) -> _ConditionalContent<Then, Else> {
        _ConditionalContent(first)
    }
    /// As in SwiftUI.
    public static func buildEither<Then: View, Else: View>(second: Else) -> _ConditionalContent<Then, Else> {
        _ConditionalContent(second)
    }
}

// swift-format-ignore: NoLeadingUnderscores
/// As in SwiftUI.
public struct _ConditionalContent<Then: View, Else: View>: StandInView {
    private let shown: any View
    init(_ shown: any View) { self.shown = shown }
    /// What is in it, for tests.
    public var children: [any View] { [shown] }
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
    /// As in SwiftUI.
    public static let headline = Font()
}

/// As in SwiftUI.
public struct AccessibilityChildBehavior: Sendable {
    /// As in SwiftUI.
    public static let ignore = AccessibilityChildBehavior()
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
    /// What is in it, for tests.
    public var children: [any View] { views }
}

/// As in SwiftUI.
public struct RoundedRectangle: StandInView {
    /// As in SwiftUI.
    public init(cornerRadius: Double) {}
    /// As in SwiftUI.
    public func fill(_ color: Color) -> Color { color }
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
