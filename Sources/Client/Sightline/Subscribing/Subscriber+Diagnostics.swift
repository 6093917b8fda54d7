// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

extension Subscriber {
    /// Reads the raw report of its peer connection: a JSON array of W3C statistics, times in Unix ms.
    ///
    /// - Throws: ``SightlineError`` with code `notSubscribed`, or `mediaEngine` if the engine failed.
    public func rtcStatsReport() async throws -> String {
        try await active().media.reports().first?.json ?? "[]"
    }

    /// Emulates another network from now on.
    ///
    /// - Throws: ``SightlineError`` with code `notSubscribed`, or `invalidArgument` if it was subscribed
    ///   without ``SubscriberSettings/networkConditions``.
    public func setNetworkConditions(_ conditions: NetworkConditions) throws {
        try active().media.setConditions(conditions)
    }

    /// Counters of the emulated network in one direction; `nil` without one.
    public func networkCounters(_ direction: NetworkConditions.Direction) -> NetworkCounters? {
        subscription?.media.conditioner?.counters(direction)
    }

    /// Puts a new peer connection in place of the present one, in mid-call.
    ///
    /// A diagnostic: tests and support use it to see that totals continue. Apps have no need for it, since a
    /// broken connection is replaced by itself.
    ///
    /// - Throws: ``SightlineError`` with code `notSubscribed`, or why the new connection could not be made;
    ///   the old one continues then.
    public func replacePeerConnection() async throws {
        guard let transport = try active().media.transport else { throw Self.notSubscribed }
        do { try await transport.replace() } catch { throw SightlineError(cause: error) }
    }

    static let notSubscribed = SightlineError(
        .notSubscribed, "the subscriber is not subscribed: subscribe it first")

    private func active() throws -> Subscription {
        guard let subscription else { throw Self.notSubscribed }
        return subscription
    }
}
