// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

// A name that CallQuality has as well.
typealias WireLegFacts = LegFacts
