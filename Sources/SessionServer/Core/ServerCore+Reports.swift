// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

// MARK: - Raw reports

extension ServerCore {
    /// Works out what a client's raw report says, as the client would itself; `nil` if there is none, or its stream is
    /// over.
    mutating func analyse(_ event: TelemetryEvent, from client: ServerClient) -> TelemetrySample? {
        guard let report = event.report, let id = client.flows[event.leg], let slot = slots[id],
            let session = sessions[slot.session], let stream = session.streams[slot.stream]
        else { return nil }
        var analyst = analysts[id] ?? ReportAnalyst(slot.kind, quality.configuration)
        let routing: MediaRouting = session.routing == .relayed ? .relayed : .routed
        let sample = analyst.sample(report, stream, routing, at: now.elapsed)
        analysts[id] = analyst
        return sample
    }
}
