// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOCore

/// Why a session server or a token issuer cannot work as it is configured.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, in one sentence.
    package var description: String

    init(_ description: String) {
        self.description = description
    }

    /// Checks the length of an application's secret.
    static func check(secret: String) throws(ConfigurationError) {
        // RFC 7518, 3.2: an HS256 key is at least as long as the hash.
        let minimum = SessionServerConfiguration.minimumSecretLength
        guard secret.utf8.count >= minimum else {
            throw ConfigurationError("the application's secret needs \(minimum) bytes or more")
        }
    }

    /// Checks the length of the token for `/metrics`.
    static func check(metricsToken: String) throws(ConfigurationError) {
        let minimum = SessionServerConfiguration.minimumSecretLength
        guard metricsToken.utf8.count >= minimum else {
            throw ConfigurationError("the token for the metrics needs \(minimum) bytes or more")
        }
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
