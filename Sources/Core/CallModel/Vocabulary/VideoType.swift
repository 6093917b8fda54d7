// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a video stream shows; numbers are Vonage's (`OTStreamVideoType`).
public enum VideoType: Int, CodableByName {
    /// A camera: every frame differs.
    case camera = 1
    /// A shared screen: may be static indefinitely.
    case screen = 2
    /// Video that the app draws itself; may be static as well.
    case custom = 3

    /// The name of each case.
    public static let names = caseNames()
}
