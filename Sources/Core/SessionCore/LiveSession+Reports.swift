// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import WebRTCStats

// MARK: - Raw reports

extension LiveSession {
    /// Works out what a client's raw report says, as the client would itself; `nil` if its stream is over.
    ///
    /// - Parameter measured: When the report was, by the server's clock.
    mutating func analyse(
        _ report: StatsReport, of leg: LegName, from member: Identity, measured: Duration
    ) -> MeasuredEvent.Judged? {
        guard let id = names(of: member).flow(of: leg), let endpoint = endpoints[id],
            let stream = streams[endpoint.stream], let end = analysedEnd(of: leg, endpoint, member)
        else { return nil }
        let path = ReportAnalyst.Path(
            routing: adaptation.routing,
            wantsVideo: end == id || endpoints[end]?.subscription?.preference.subscribeToVideo != false)
        let elapsed = now.elapsed
        // Between clients a queue may be in the other one's network.
        let isRouted = path.routing == .routed
        let elsewhere =
            isRouted ? members[member.client]?.queue.direction(beside: end, at: elapsed.milliseconds) : nil
        let (judged, queue) = analysts.look(endpoint, to: end, settings.quality) {
            (
                $0.judge(report, of: leg, stream, path, elsewhere: elsewhere, at: measured),
                $0.queueDirection
            )
        }
        members.change(member.client) {
            $0.queue.note(isRouted ? queue : nil, by: end, at: elapsed.milliseconds)
        }
        return judged
    }

    /// Sends a client what its raw report was judged to say, if that is new to it.
    mutating func notify(_ sample: StreamSample, of leg: LegName, _ member: Identity) {
        guard let id = names(of: member).flow(of: leg), let endpoint = endpoints[id],
            let end = analysedEnd(of: leg, endpoint, member)
        else { return }
        let news = analysts.look(endpoint, to: end, settings.quality) { $0.news(of: sample, leg) }
        if let news { notify(member.client, .judged(news)) }
    }

    /// Where what a report is of leads to; `nil` for a path between two clients that is over.
    func analysedEnd(of leg: LegName, _ endpoint: Endpoint, _ member: Identity) -> EndpointID? {
        guard endpoint.kind == .publisher, endpoint.handle != nil, names(of: member).legs[leg] == nil else {
            return endpoint.id
        }
        return names(of: member).relays[leg].flatMap { relays[$0]?.subscription }
    }
}
