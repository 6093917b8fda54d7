// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What kept a pre-call test's video smaller than it should have been.
public enum PreCallLimitation: String, Sendable, Codable {
    /// The device was too slow.
    case cpu
    /// The network carried too little.
    case bandwidth
}
