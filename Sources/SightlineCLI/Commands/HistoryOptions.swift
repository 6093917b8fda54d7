// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
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

    @Flag(help: "Store the names of participants and streams in clear; otherwise a keyed hash replaces each.")
    var keepNames = false

    @Option(help: ArgumentHelp("How long calls are kept.", valueName: "days"))
    var keepDays: Double = 30

    @Option(
        help: ArgumentHelp(
            "Size beyond which the oldest samples are deleted; by default 4096 with a file, 256 without.",
            valueName: "megabytes"))
    var keepMegabytes: Int?

    @Flag(
        help:
            "Syncs to disk before telemetry is acknowledged, so that a power failure loses nothing either."
    )
    var syncStore = false

    @Option(
        help: ArgumentHelp(
            "Gets a POST when a sustained issue begins and ends; as json signed if SIGHTLINE_WEBHOOK_SECRET is set.",
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

    func validate() throws {
        guard keepDays > 0, keepDays <= 36_500 else {
            throw ValidationError("--keep-days should be more than 0 and at most 36500.")
        }
        if let keepMegabytes, !(1...1_048_576).contains(keepMegabytes) {
            throw ValidationError("--keep-megabytes should be 1 to 1048576.")
        }
        if let alertWebhook, URL(string: alertWebhook)?.host() == nil {
            throw ValidationError("--alert-webhook should be a URL such as https://example.com/alerts.")
        }
    }

    func apply(to configuration: inout SessionServerConfiguration) throws {
        var store = SessionServerConfiguration.Store(path: store)
        store.keepsNames = keepNames
        store.maximumAge = .seconds(keepDays * 86_400)
        if let keepMegabytes { store.maximumBytes = Int64(keepMegabytes) << 20 }
        store.waitsForDisk = syncStore
        configuration.store = store
        let secret = try SecretSource(
            name: "--alert-webhook-secret", option: nil, file: alertWebhookSecretFile,
            variable: "SIGHTLINE_WEBHOOK_SECRET"
        ).secret()
        guard alertWebhook == nil || alertWebhookShape != .pagerduty || secret != nil else {
            throw ValidationError(
                "PagerDuty needs the integration's routing key: --alert-webhook-secret-file or SIGHTLINE_WEBHOOK_SECRET."
            )
        }
        let url = alertWebhook.flatMap(URL.init(string:))
        // The key would be readable in transit by anyone on the path.
        guard
            alertWebhookShape != .pagerduty || url?.scheme?.lowercased() != "http"
                || SitePolicy.isLoopback(url?.host() ?? "")
        else {
            throw ValidationError("PagerDuty's routing key is not sent over plain HTTP: use https://.")
        }
        guard url == nil || secret == nil || [.json, .pagerduty].contains(alertWebhookShape) else {
            throw ValidationError(
                "There is no place for a webhook secret in the shape \(alertWebhookShape.rawValue): leave it out."
            )
        }
        configuration.alertWebhook = url.map {
            .init(url: $0, shape: alertWebhookShape, secret: secret)
        }
    }
}
