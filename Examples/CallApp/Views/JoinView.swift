// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SwiftUI

/// Where to, and whether the network is good enough for it.
struct JoinView: View {
    @Bindable var model: AppModel

    var body: some View {
        Form {
            Section("Call") {
                TextField("Server", text: $model.url).autocorrectionDisabled()
                TextField("Token", text: $model.token).autocorrectionDisabled()
                Button("Join") { Task { await model.join() } }
                    .disabled(!model.isIdle)
                ProblemText(text: model.problem)
            }
            Section("Before the call") {
                TextField("Token for the test", text: $model.testToken).autocorrectionDisabled()
                Button("Test my network") { Task { await model.testNetwork() } }
                    .disabled(!model.isIdle)
                NetworkCheckView(check: model.check)
            }
        }
    }
}
