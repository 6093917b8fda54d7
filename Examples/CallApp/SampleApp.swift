// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// A call in SwiftUI that says how good it is, and on whose side the fault is.
@main
struct SampleApp: App {
    @State private var model = AppModel()

    var body: some Scene {
        #if os(iOS)
        WindowGroup { RootView(model: model) }
        #else
        // One window, as there is one call: closing it leaves the call.
        Window("CallApp", id: "call") { RootView(model: model) }
        #endif
    }
}
