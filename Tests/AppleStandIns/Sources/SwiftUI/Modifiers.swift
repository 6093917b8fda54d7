// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension View {
    /// As in SwiftUI.
    public func frame(width: Double? = nil, height: Double? = nil) -> some View { self }
    /// As in SwiftUI.
    public func frame(minWidth: Double? = nil, minHeight: Double? = nil) -> some View { self }
    /// As in SwiftUI.
    public func padding(_ length: Double) -> some View { self }
    /// As in SwiftUI.
    public func padding() -> some View { self }
    /// As in SwiftUI.
    public func background(_ color: Color) -> some View { self }
    /// As in SwiftUI.
    public func font(_ font: Font?) -> some View { self }
    /// As in SwiftUI.
    public func foregroundStyle(_ color: Color) -> some View { self }
    /// As in SwiftUI.
    public func accessibilityElement(children: AccessibilityChildBehavior) -> some View { self }
    /// As in SwiftUI.
    public func accessibilityLabel(_ label: String) -> some View { self }
    /// As in SwiftUI.
    public func scaleEffect(x: Double = 1, y: Double = 1) -> some View { self }
    /// As in SwiftUI.
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    /// As in SwiftUI.
    public func disabled(_ disabled: Bool) -> some View { Disabled(self, disabled) }
    /// As in SwiftUI.
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    /// As in SwiftUI.
    public func overlay<Content: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> Content
    ) -> some View {
        TupleView(views: [self, content()])
    }
    /// As in SwiftUI.
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        TupleView(views: isPresented.wrappedValue ? [self, content()] : [self])
    }
}

/// A view that may be disabled, for tests.
@_spi(StandIn) public struct Disabled: StandInView {
    /// Whether nothing in it can be used.
    public let isDisabled: Bool
    private let view: any View

    init(_ view: any View, _ isDisabled: Bool) { (self.view, self.isDisabled) = (view, isDisabled) }

    /// What is in it, for tests.
    public var children: [any View] { [view] }
}
