// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// As in SwiftUI.
public struct HStack<Content: View>: StandInView {
    /// As in SwiftUI.
    public let content: Content
    /// As in SwiftUI.
    public init(
        alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
    /// What is in it, for tests.
    public var children: [any View] { [content] }
}

/// As in SwiftUI.
public struct VStack<Content: View>: StandInView {
    private let content: Content
    /// As in SwiftUI.
    public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
    /// What is in it, for tests.
    public var children: [any View] { [content] }
}

/// As in SwiftUI.
public struct List<Content: View>: StandInView {
    private let content: Content
    /// As in SwiftUI.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    /// What is in it, for tests.
    public var children: [any View] { [content] }
}

/// As in SwiftUI.
public struct Form<Content: View>: StandInView {
    private let content: Content
    /// As in SwiftUI.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    /// What is in it, for tests.
    public var children: [any View] { [content] }
}

/// As in SwiftUI.
public struct Section<Content: View>: StandInView {
    private let content: Content
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
    /// What is in it, for tests.
    public var children: [any View] { [content] }
}

/// As in SwiftUI.
public struct HorizontalAlignment: Sendable {
    /// As in SwiftUI.
    public static let center = HorizontalAlignment()
    /// As in SwiftUI.
    public static let leading = HorizontalAlignment()
}

/// As in SwiftUI.
public struct Alignment: Sendable {
    /// As in SwiftUI.
    public static let center = Alignment()
    /// As in SwiftUI.
    public static let topLeading = Alignment()
}
