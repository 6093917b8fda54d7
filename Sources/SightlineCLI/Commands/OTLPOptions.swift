// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import SessionServer

/// Whom a server sends metrics and traces.
struct OTLPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Gets metrics and traces by OTLP/HTTP, such as http://127.0.0.1:4318; also from OTEL_EXPORTER_OTLP_ENDPOINT.",
            valueName: "url"))
    var otlpEndpoint: String?

    @Option(
        help: ArgumentHelp(
            "File with headers for it, such as credentials, name=value in each line; also from OTEL_EXPORTER_OTLP_HEADERS.",
            valueName: "file"))
    var otlpHeadersFile: String?

    @Flag(help: "Sends the collector metrics, and no traces of calls.")
    var otlpMetricsOnly = false

    func validate() throws {
        guard let otlpEndpoint else {
            guard otlpHeadersFile == nil else {
                throw ValidationError("--otlp-headers-file is of no use without --otlp-endpoint.")
            }
            return
        }
        guard let url = URL(string: otlpEndpoint), OutgoingRequest.canAsk(url) else {
            throw ValidationError(
                "--otlp-endpoint should be a URL such as http://127.0.0.1:4318, its port 1 to 65535.")
        }
    }

    func apply(
        to configuration: inout SessionServerConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard let endpoint = otlpEndpoint.flatMap(URL.init(string:)) else { return }
        let variable = "OTEL_EXPORTER_OTLP_HEADERS"
        let text = try SecretSource(
            name: "--otlp-headers", option: nil, file: otlpHeadersFile, variable: variable
        ).secret(environment)
        do {
            configuration.otlp = .init(
                endpoint: endpoint,
                headers: try SessionServerConfiguration.OTLPExport.headers(text ?? ""),
                hasTraces: !otlpMetricsOnly)
        } catch {
            throw ValidationError("\(otlpHeadersFile == nil ? variable : "--otlp-headers-file"): \(error)")
        }
    }
}
