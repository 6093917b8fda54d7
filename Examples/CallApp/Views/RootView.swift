// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Sightline
import SwiftUI

/// One screen after the other: join, the call, what happened.
struct RootView: View {
    let model: AppModel

    var body: some View {
        VStack {
            if let call = model.call {
                if case .over(let error) = call.quality.phase {
                    OverView(model: model, log: call.log, problem: error?.message)
                } else {
                    CallView(model: model, call: call)
                }
            } else {
                JoinView(model: model)
            }
        }
        .onDisappear { Task { await model.close() } }
    }
}
