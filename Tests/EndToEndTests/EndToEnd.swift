// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

/// Everything that makes real calls, one after the other: two cores carry one call well, and several badly.
@Suite(.serialized) enum EndToEnd {}
