// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Sightline

extension Error {
    /// What is wrong and what to do, for people.
    var words: String {
        switch self {
        case let error as SightlineError: error.message
        case let error as MediaEngineError: error.message
        default: localizedDescription
        }
    }
}
