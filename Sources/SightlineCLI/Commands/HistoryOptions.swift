// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import SessionServer

extension AlertShape: ExpressibleByArgument {}

/// What a server stores of its calls, and whom it notifies.
struct HistoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "SQLite database for the calls; without it they are kept in memory until the server ends.",
            valueName: "file"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "Keeps calls in PostgreSQL, which several servers may share, in place of SQLite: postgresql://HOST/DATABASE, "
                + "with the tables that 'sightline cluster migrate' makes.", valueName: "address"))
    var cluster: String?

    @Option(help: ArgumentHelp("This server's name among those that share a PostgreSQL.", valueName: "name"))
    var node: String?

    @Option(
        help: ArgumentHelp(
            "Where clients reach this one of several servers, such as https://n1.calls.example.org: they are sent to the "
                + "server that has their session.", valueName: "url"))
    var nodeURL: String?

    @Option(
        help: ArgumentHelp(
            "Where the other servers reach it, such as http://10.0.0.7:8080; where clients do if omitted.",
            valueName: "url"))
    var nodeInternalURL: String?

    private static let drainTimes = OptionRange("--drain-within", .numbers(0...86_400), .seconds)

    @Option(
        help: Self.drainTimes.help(
            "How long a server with --node-url that gets SIGTERM lets its calls continue before it gives them to other servers "
                + "and ends, which it does at once without calls", valueName: "seconds"))
    var drainWithin: Double = 30

    @Flag(help: "Store the names of participants and streams in clear; otherwise a keyed hash replaces each.")
    var keepNames = false

    private static let keptDays = OptionRange("--keep-days", .upTo(36_500), .days)

    @Option(help: Self.keptDays.help("How long calls are kept", valueName: "days"))
    var keepDays: Double = 30

    private static let keptMegabytes = OptionRange("--keep-megabytes", .whole(1...1_048_576), .megabytes)

    @Option(
        help: Self.keptMegabytes.help(
            "Size beyond which the oldest samples are deleted, by default 4096 with a file and 256 without",
            valueName: "megabytes"))
    var keepMegabytes: Int?

    @Flag(
        help:
            "Syncs to disk before telemetry is acknowledged, so that a power failure loses nothing either."
    )
    var syncStore = false

    @Option(
        help: ArgumentHelp(
            "Gets a POST when a network that has been bad for 10 s is an alert, and when it is over; as json signed if "
                + "SIGHTLINE_WEBHOOK_SECRET is set.",
            valueName: "url"))
    var alertWebhook: String?

    @Option(
        help: ArgumentHelp(
            "How alerts are written: json, slack, alertmanager (to …/api/v2/alerts) or pagerduty (to …/v2/enqueue).",
            valueName: "shape"))
    var alertWebhookShape = AlertShape.json

    @Option(
        help: ArgumentHelp(
            "File with the secret that signs the webhook's requests, or PagerDuty's routing key.",
            valueName: "file"))
    var alertWebhookSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "JSON file with several receivers of alerts, from what severity and duration on each is notified, and when many "
                + "bad calls at once are an alert.", valueName: "file"))
    var alertReceivers: String?

    func validate() throws {
        try Self.keptDays.check(keepDays)
        guard (cluster == nil) == (node == nil) else {
            throw ValidationError("--cluster and --node belong together.")
        }
        guard cluster == nil || store == nil && keepMegabytes == nil && !syncStore else {
            throw ValidationError(
                "--store, --keep-megabytes and --sync-store are of SQLite: PostgreSQL has its own settings.")
        }
        guard nodeURL == nil || cluster != nil, nodeInternalURL == nil || nodeURL != nil else {
            throw ValidationError("--node-url goes with --cluster, and --node-internal-url with --node-url.")
        }
        for (name, address) in [("--node-url", nodeURL), ("--node-internal-url", nodeInternalURL)] {
            guard let address else { continue }
            guard let url = URL(string: address), OutgoingRequest.canAsk(url),
                ["", "/"].contains(url.path())
            else {
                throw ValidationError(
                    "\(name) should be a URL such as https://n1.calls.example.org, its port 1 to 65535.")
            }
        }
        try Self.drainTimes.check(drainWithin)
        if let node, !(1...64).contains(node.utf8.count) {
            throw ValidationError("--node should have 1 to 64 bytes.")
        }
        try Self.keptMegabytes.check(keepMegabytes)
    }

    func apply(to configuration: inout SessionServerConfiguration) throws {
        var store = SessionServerConfiguration.Store(path: store)
        if let cluster, let node {
            let route = nodeURL.map {
                SessionServerConfiguration.Store.Route(url: $0, internalURL: nodeInternalURL)
            }
            store.cluster = .init(address: cluster, node: node, route: route)
        }
        store.keepsNames = keepNames
        store.maximumAge = .seconds(keepDays * 86_400)
        if let keepMegabytes { store.maximumBytes = Int64(keepMegabytes) << 20 }
        store.waitsForDisk = syncStore
        configuration.store = store
        try applyAlerts(to: &configuration)
    }

    private func applyAlerts(to configuration: inout SessionServerConfiguration) throws {
        if let alertReceivers {
            (configuration.alertReceivers, configuration.fleetRule) = try AlertReceiversFile.read(
                alertReceivers)
        }
        let source = SecretSource(
            name: "--alert-webhook-secret", option: nil, file: alertWebhookSecretFile,
            variable: "SIGHTLINE_WEBHOOK_SECRET")
        let secret = try source.secret()
        guard let alertWebhook else {
            guard alertWebhookSecretFile == nil else {
                throw ValidationError("--alert-webhook-secret-file goes with --alert-webhook.")
            }
            return
        }
        configuration.alertReceivers.append(
            try .checked(
                alertWebhook, alertWebhookShape, secret, named: "--alert-webhook",
                secretNamed: "--alert-webhook-secret-file or SIGHTLINE_WEBHOOK_SECRET"))
    }
}
