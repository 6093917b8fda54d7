// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

/// Everything that needs a running engine, one test at a time: calls share two cores with whatever else is tested.
@Suite("Engine", .serialized)
enum EngineTests {}
