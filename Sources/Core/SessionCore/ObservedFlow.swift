// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A publication or subscription of an observed call, as the store has it.
struct ObservedFlow: Sendable {
    /// Whose stream it is.
    enum Owner: Sendable, Equatable {
        /// The peer connection's own, with what is sent.
        case own(StreamContent)
        /// Another participant's.
        case another
        /// No one knows whose: the stream is there for this flow alone.
        case unknown
    }

    let endpoint: EndpointID
    let stream: StreamID
    var owner: Owner
    let beganAt: Duration
    /// When it was observed last.
    var heardAt: Duration
}
