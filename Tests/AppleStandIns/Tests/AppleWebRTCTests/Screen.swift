// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import SwiftUI

/// What there is on a screen: the bodies of a view and of all that are in it, evaluated once.
@MainActor struct Screen {
    /// The views that have neither a body nor other views in them.
    let leaves: [any View]

    init(_ view: any View) { leaves = Self.leaves(of: view) }

    var texts: [String] { leaves.compactMap { ($0 as? Text)?.text } }

    var buttons: [String] { leaves.compactMap { ($0 as? Button)?.title } }

    func press(_ title: String) { leaves.compactMap { $0 as? Button }.first { $0.title == title }?.action() }

    func field(_ title: String) -> Binding<String>? {
        leaves.compactMap { $0 as? TextField }.first { $0.title == title }?.text
    }

    func toggle(_ title: String) -> Binding<Bool>? {
        leaves.compactMap { $0 as? Toggle }.first { $0.title == title }?.isOn
    }

    private static func leaves(of view: any View) -> [any View] {
        guard let leaf = view as? any StandInView else { return leaves(of: view.body) }
        return leaf.children.isEmpty ? [leaf] : leaf.children.flatMap { leaves(of: $0) }
    }
}
