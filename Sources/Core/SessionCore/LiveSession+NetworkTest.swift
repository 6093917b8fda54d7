// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire

// MARK: - Network tests

extension LiveSession {
    /// Times that one subscription's network may be filled: a test needs two or three.
    private static let saturationLimit = 10

    mutating func saturate(
        _ request: ClientMessage.Saturate, id: Int, _ member: Identity
    ) throws(ServerError) {
        let endpoint = try endpoint(of: request.leg, .subscriber, member)
        guard endpoint.testsNetwork, let subscription = endpoint.subscription else {
            throw ServerError(.forbidden, "only a subscription that tests the network can be saturated")
        }
        guard let leg = currentLeg(of: endpoint), leg.phase == .up else {
            throw ServerError(.unknownLeg, "the other end of the leg is gone")
        }
        guard subscription.saturations < Self.saturationLimit else {
            throw ServerError(.tooMany, "a subscription can be saturated \(Self.saturationLimit) times")
        }
        try saturate(leg.id, request)
        endpoints.changeSubscription(of: endpoint.id) { $0.saturations += 1 }
        ask(
            .saturate(
                LegSaturation(leg: leg.id.name, bitrate: request.bitrate, seconds: request.seconds)))
        answer(member.client, id, .done)
    }

    /// Has a client's network filled, if the session and the server have so much to spare.
    private mutating func saturate(_ leg: LegID, _ request: ClientMessage.Saturate) throws(ServerError) {
        let bitrate = request.bitrate
        let elapsed = now.elapsed
        saturations = saturations.filter { $0.value.end > elapsed }
        // A leg's next one takes the place of its last.
        let own = saturations[leg]?.bitrate ?? 0
        let ofSession = saturations.values.reduce(bitrate - own) { $0 + $1.bitrate }
        guard ofSession <= limits.saturationPerSession, bitrate - own <= surroundings.spareSaturation else {
            throw ServerError(.tooMany, "too many network tests run at once; try again in a few seconds")
        }
        let saturation = Saturation(bitrate: bitrate, end: elapsed + .seconds(request.seconds))
        saturations[leg] = saturation
        add(.saturate(leg, saturation))
    }
}

// MARK: - Tests of pages

extension LiveSession {
    /// Has a page's network test continue.
    mutating func test(
        _ request: ClientMessage.NetworkTest, id: Int, _ member: Identity
    ) throws(ServerError) {
        try pace(.networkTest, by: member.client)
        try checkTest(request, member)
        let (rules, elapsed) = (settings.quality.preCall, now.elapsed)
        let readings = try testedReadings(request.readings, member)
        let answer = try members.change(member.client) {
            member throws(ServerError) -> ServerMessage.NetworkTest in
            // Taken out, so that its history changes where it is; one that is refused is over.
            var test = member.networkTest.take() ?? HostedNetworkTest(rules: rules, at: elapsed)
            let answer = try test.take(request, readings, at: elapsed)
            member.networkTest = answer.result == nil ? test : nil
            return answer
        }
        if let answer { self.answer(member.client, id, .networkTest(answer)) }
    }

    /// Whether the session is fit for a test: routed, and no one else publishes in it.
    private func checkTest(
        _ request: ClientMessage.NetworkTest, _ member: Identity
    ) throws(ServerError) {
        if case .ended = request.course { return }
        guard mediaMode == .routed else { throw ServerError(.forbidden, PreCallFailure.notRouted) }
        guard streams.values.allSatisfy({ $0.owner == member.client || !$0.isAnnounced }) else {
            throw ServerError(.forbidden, PreCallFailure.occupied)
        }
    }

    /// The readings of legs that still are, and what those are to the test's stream.
    private func testedReadings(
        _ readings: [ClientMessage.NetworkTest.Reading], _ member: Identity
    ) throws(ServerError) -> [HostedNetworkTest.Reading] {
        var tested: [HostedNetworkTest.Reading] = []
        for reading in readings {
            guard let flow = names(of: member).flow(of: reading.leg) else {
                throw ServerError(.unknownLeg, "a reading is of a leg that never was")
            }
            guard let endpoint = endpoints[flow] else { continue }
            guard endpoint.testsNetwork else {
                throw ServerError(.forbidden, "only a leg that tests the network has such readings")
            }
            tested.append(.init(reading, of: endpoint.kind))
        }
        return tested
    }

    /// Sends a client what the media router has counted of a leg that tests its network, as far as it has use for that.
    mutating func send(_ counted: LegMetrics, of role: StreamRole, to client: ClientID) {
        let elapsed = now.elapsed
        let sent: LegMetrics? = members.change(client) { $0.take(counted, of: role, at: elapsed) } ?? nil
        if let sent { notify(client, .facts(sent)) }
    }
}

extension Member {
    /// Takes what the media router has counted of a leg that tests the network; gives what the client is sent now.
    fileprivate mutating func take(
        _ counted: LegMetrics, of role: StreamRole, at now: Duration
    ) -> LegMetrics? {
        guard let counters = counted.counters,
            let isNewToPage = networkTest?.note(counters, of: counted.leg, at: now)
        else { return testCounters.take(counted, of: role, at: now) }
        return isNewToPage ? counted : nil
    }
}
