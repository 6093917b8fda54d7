// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

// Names that CallQuality has as well. Their module cannot be named in front of them, because it has a type of
// its own name.
typealias WireLegFacts = LegFacts
typealias WireVideoType = VideoType
