// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// As in SwiftUI, where it is looked up in a table: only strings and integers can be put in.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Sendable {
    let text: String
    /// As in SwiftUI.
    public init(stringLiteral text: String) { self.text = text }
    /// As in SwiftUI.
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// As in SwiftUI.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        /// As in SwiftUI.
        public init(literalCapacity: Int, interpolationCount: Int) {}
        /// As in SwiftUI.
        public mutating func appendLiteral(_ literal: String) { text += literal }
        /// As in SwiftUI.
        public mutating func appendInterpolation(_ string: String) { text += string }
        /// As in SwiftUI.
        public mutating func appendInterpolation(_ value: Int) { text += "\(value)" }
    }
}

/// As in SwiftUI.
public struct Text: StandInView {
    /// What it says.
    @_spi(StandIn) public let text: String
    /// As in SwiftUI.
    public init(_ key: LocalizedStringKey) { text = key.text }
    /// As in SwiftUI.
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { text = String(content) }
}

/// As in SwiftUI.
public struct ButtonRole: Sendable {
    /// As in SwiftUI.
    public static let destructive = ButtonRole()
}

/// As in SwiftUI.
public struct Button: StandInView {
    /// What it says.
    @_spi(StandIn) public let title: String
    /// What it does.
    @_spi(StandIn) public let action: @MainActor () -> Void
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        (title, self.action) = (titleKey.text, action)
    }
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        self.init(titleKey, action: action)
    }
}

/// As in SwiftUI.
public struct TextField: StandInView {
    /// What it is called.
    @_spi(StandIn) public let title: String
    /// What is in it.
    @_spi(StandIn) public let text: Binding<String>
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        (title, self.text) = (titleKey.text, text)
    }
}

/// As in SwiftUI.
public struct Toggle: StandInView {
    /// What it is called.
    @_spi(StandIn) public let title: String
    /// Whether it is on.
    @_spi(StandIn) public let isOn: Binding<Bool>
    /// As in SwiftUI.
    public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        (title, self.isOn) = (titleKey.text, isOn)
    }
}

/// As in SwiftUI.
public struct ProgressView: StandInView {
    /// As in SwiftUI.
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) {}
}
