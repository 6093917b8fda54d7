// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(SwiftUI)
import CallQuality
import SwiftUI

/// Five bars as telephones show them, for a participant's network quality level.
public struct SignalBars: View {
    private static let count = 5
    private let appearance: SignalAppearance

    /// Shows a level; all bars are dim while it is unknown.
    public init(_ level: NetworkQualityLevel) {
        appearance = SignalAppearance(level)
    }

    /// The bars, one element for screen readers.
    public var body: some View {
        HStack(alignment: .bottom, spacing: 2) {
            ForEach(1..<Self.count + 1, id: \.self) { bar in
                RoundedRectangle(cornerRadius: 1)
                    .fill(bar <= appearance.bars ? appearance.tint.color : Color.gray.opacity(0.3))
                    .frame(width: 4, height: 4 * Double(bar))
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(appearance.label)
    }
}

extension SignalAppearance.Tint {
    /// The tint as a colour that is legible in light and dark.
    var color: Color {
        switch self {
        case .good: .green
        case .fair: .orange
        case .poor: .red
        case .unknown: .gray
        }
    }
}
#endif
