// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Conditions and counters are what engines, servers and routers have in common; who imports the engine's protocols has them.
@_exported import NetworkEmulation

/// An emulated network that a peer connection can be made with, changeable during the call.
public protocol NetworkConditioner: AnyObject, Sendable {
    /// Applies to both directions from now on.
    func set(_ conditions: NetworkConditions)
    /// What it has let through and dropped so far in a direction.
    func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters
}

/// A media engine that can emulate bad networks.
public protocol ConditioningPeerConnectionFactory: PeerConnectionFactory {
    /// Creates an emulated network; equal seeds lose the same packets of equal traffic.
    func makeConditioner(seed: UInt64) -> any NetworkConditioner
}
