// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

extension ServerMessage.Body {
    /// The session description that it carries.
    var answer: String? {
        switch self {
        case .published(let published): published.answer
        case .subscribed(let subscribed): subscribed.answer
        case .answered(let answered): answered.answer
        default: nil
        }
    }
}
