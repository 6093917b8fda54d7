// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Output volume of the device; the input of `lowOSOutputVolumeLevel`.
///
/// Read every few seconds from a task of the SDK, never concurrently.
public protocol OutputVolumeSource: Sendable {
    /// The volume that the user has set, `0...1` on the scale that the user sees; 0 while muted, `nil` if it
    /// is not known.
    func outputVolume() async -> Double?
}
