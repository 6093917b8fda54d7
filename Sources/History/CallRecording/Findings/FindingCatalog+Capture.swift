// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Devices, the screen, and the page.
extension FindingCatalog {
    typealias ClientRule = FindingRule<ClientFacts, [FindingMatch]>

    static let captureRules: [ClientRule] = [
        .init(.permissionDenied) { client, _ in refusals(client, permissionErrors.contains) },
        .init(.deviceBusy) { client, _ in refusals(client, busyErrors.contains) },
        .init(.deviceNotFound) { client, _ in refusals(client, absenceErrors.contains) },
        .init(.captureFailed) { client, _ in
            refusals(client) {
                !permissionErrors.contains($0) && !busyErrors.contains($0) && !absenceErrors.contains($0)
            }
        },
        .init(.screenShareRefused) { client, _ in
            client.displayMedia.failures.prefix(1).map {
                FindingMatch(from: $0.time, .word("error", $0.error))
            }
        },
        .init(.captureEnded) { client, _ in ended(client) { !$0.isShort } },
        .init(.captureEndedAtOnce) { client, _ in ended(client, \.isShort) },
        .init(.bluetooth) { client, _ in about(client, client.userMedia.isAudioByBluetooth == true) },
        .init(.echoCancellationOff) { client, _ in
            about(client, client.userMedia.isEchoCancellationOff == true)
        },
    ]

    static let pageRules: [ClientRule] = [
        .init(.connectionMissing) { client, _ in
            about(client, client.events > 0 && client.connections.isEmpty)
        },
        .init(.pageReloaded) { client, rules in
            guard let count = client.page.reloads, Double(count) >= rules.reloads else { return [] }
            return [FindingMatch(from: client.from ?? 0, .times("reloads", count))]
        },
        .init(.processorPressure) { client, rules in
            // Each connection's reports say the same of the one processor.
            let share = client.connections.compactMap(\.processorPressure).max()
            guard let share, share >= rules.processorPressure else { return [] }
            return [
                FindingMatch(
                    from: client.from ?? 0, to: client.to,
                    .share("share", share, limit: rules.processorPressure))
            ]
        },
        .init(.connectionChurn) { client, rules in
            let short = client.connections.filter { connection in
                let isOver = connection.isClosed == true || connection.establishment.failedAt != nil
                return connection.events > 0 && isOver && connection.duration < rules.shortConnection
                    && connection.negotiation.hasLocal
            }
            guard let first = short.first, Double(short.count) >= rules.shortConnections else { return [] }
            return [
                FindingMatch(
                    from: first.from, to: short.map(\.to).max(), .count("count", short.count),
                    .seconds("limit", rules.shortConnection))
            ]
        },
    ]

    /// Names of errors in lower case, which browsers do not agree upon; those of old browsers among them.
    private static let permissionErrors: Set<String> = [
        "notallowederror", "permissiondeniederror", "permissiondismissederror", "securityerror",
    ]
    private static let busyErrors: Set<String> = [
        "notreadableerror", "trackstarterror", "aborterror", "sourceunavailableerror",
    ]
    private static let absenceErrors: Set<String> = [
        "notfounderror", "devicesnotfounderror", "overconstrainederror", "constraintnotsatisfiederror",
    ]

    /// The last refusal; mild if a device was granted in the end.
    private static func refusals(_ client: ClientFacts, _ isMeant: (String) -> Bool) -> [FindingMatch] {
        guard let last = client.userMedia.failures.last(where: { isMeant($0.error.lowercased()) }) else {
            return []
        }
        let isMild = client.userMedia.lastSuccess.map { $0 > last.time } ?? false
        return [FindingMatch(from: last.time, isMild: isMild, .word("error", last.error))]
    }

    private static func ended(
        _ client: ClientFacts, _ isMeant: (ClientFacts.EndedTrack) -> Bool
    ) -> [FindingMatch] {
        client.endedTracks.filter { !$0.isDisplay && isMeant($0) }.prefix(10).map { track in
            FindingMatch(
                from: track.time, .word("medium", track.kind == "audio" ? "microphone" : "camera"),
                .seconds("lifetime", track.lifetime ?? 0))
        }
    }

    private static func about(_ client: ClientFacts, _ isMet: Bool) -> [FindingMatch] {
        isMet ? [FindingMatch(from: client.from ?? 0, to: client.to)] : []
    }
}
