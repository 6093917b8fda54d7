// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a video stream shows; numbers are Vonage's (`OTStreamVideoType`).
public enum VideoType: Int, CodableByName {
    /// A camera: every frame differs.
    case camera = 1
    /// A shared screen: may stand still for as long as it likes.
    case screen = 2
    /// Video that the app draws itself; may stand still as well.
    case custom = 3

    /// The name of each case.
    public static let names = caseNames()
}
