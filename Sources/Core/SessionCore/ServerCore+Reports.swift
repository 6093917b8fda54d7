// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import RouterWire
import SessionWire

// MARK: - Raw reports

extension ServerCore {
    /// Works out what a client's raw report says, as the client would itself; `nil` if there is none, or its stream is
    /// over.
    mutating func analyse(_ event: TelemetryEvent, from client: ServerClient) -> StreamSample? {
        guard let report = event.report, let id = client.flow(of: event.leg), let slot = slots[id],
            let session = sessions[slot.session], let stream = session.streams[slot.stream],
            let end = analysedEnd(of: event.leg, id, of: client)
        else { return nil }
        let way = ReportAnalyst.Way(
            routing: session.routing == .relayed ? .relayed : .routed,
            wantsVideo: end == id || slots[end]?.preference.subscribeToVideo != false)
        let (configuration, elapsed) = (quality.configuration, now.elapsed)
        // In place: an observer's history is not to be copied with each report.
        return analysts[id, default: [:]][end, default: ReportAnalyst(slot.kind, configuration)]
            .sample(report, stream, way, at: elapsed)
    }

    /// Where what a report is of leads to; `nil` for a way between two clients that is over.
    func analysedEnd(of leg: String, _ slot: SlotID, of client: ServerClient) -> SlotID? {
        guard slots[slot]?.kind == .publisher, slots[slot]?.handle != nil, client.legs[leg] == nil else {
            return slot
        }
        return client.relays[leg].flatMap { relays[$0]?.subscription }
    }
}
