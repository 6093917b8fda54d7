// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

extension Publisher {
    /// Reads the raw report of each of its peer connections: one in a routed session, one per subscriber in a
    /// relayed one.
    ///
    /// - Throws: ``SightlineError`` with code `notPublished`, or `mediaEngine` if the engine failed.
    public func rtcStatsReport() async throws -> [PublisherRTCStats] {
        try await active().media.reports().map { connection, json in
            PublisherRTCStats(
                connectionId: connection?.connectionId, subscriberId: connection?.subscriberId,
                jsonArrayOfReports: json)
        }
    }

    /// Emulates another network from now on.
    ///
    /// - Throws: ``SightlineError`` with code `notPublished`, or `invalidArgument` if it was published
    ///   without ``PublisherSettings/networkConditions``.
    public func setNetworkConditions(_ conditions: NetworkConditions) throws {
        try active().media.setConditions(conditions)
    }

    /// Counters of the emulated network in one direction; `nil` without one.
    public func networkCounters(_ direction: NetworkConditions.Direction) -> NetworkCounters? {
        publication?.media.conditioner?.counters(direction)
    }

    /// Source of its video; `nil` before it is published and without video.
    public var videoSource: (any VideoSource)? { publication?.videoSource }

    /// Source of its audio; `nil` before it is published and without audio.
    public var audioSource: (any AudioSource)? { publication?.audioSource }

    /// Puts a new peer connection in place of the present one, in mid-call.
    ///
    /// A diagnostic: tests and support use it to see that totals continue. Apps have no need for it, since a
    /// broken connection is replaced by itself.
    ///
    /// - Throws: ``SightlineError`` with code `notPublished`, or why the new connection could not be made;
    ///   the old one continues then.
    public func replacePeerConnection() async throws {
        guard let transport = try active().media.transport else { throw Self.notPublished }
        do { try await transport.replace() } catch { throw SightlineError(cause: error) }
    }

    static let notPublished = SightlineError(
        .notPublished, "the publisher is not published: publish it first")

    private func active() throws -> Publication {
        guard let publication else { throw Self.notPublished }
        return publication
    }
}
