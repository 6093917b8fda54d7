// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// The session protocol's facts, which share their name with the observers'.
public typealias WireLegFacts = LegFacts
