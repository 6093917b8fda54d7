// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

/// The suites that run real media, one test after the other: they share two engines and the machine.
@Suite("On real media", .serialized)
enum RealMedia {}
