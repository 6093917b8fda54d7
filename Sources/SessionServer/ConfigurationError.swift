// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOCore

/// Why a session server did not start.
public struct StartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, in one sentence.
    public var description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ error: IOError, _ configuration: SessionServerConfiguration) {
        let place = "\(configuration.host):\(configuration.port)"
        description =
            switch error.errnoCode {
            case EADDRINUSE: "\(place) is in use; choose another port"
            case EACCES: "\(place) may not be used; choose a port over 1023"
            default: "cannot listen on \(place): \(String(cString: strerror(error.errnoCode)))"
            }
    }
}
