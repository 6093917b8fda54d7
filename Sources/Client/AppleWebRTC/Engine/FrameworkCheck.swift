// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Without the framework this module would be an empty one, and an app's error would be about a name that it does not have.
#if canImport(Darwin) && !canImport(WebRTC)
#error("AppleWebRTC needs WebRTC.framework: depend on the package, which brings it")
#endif
