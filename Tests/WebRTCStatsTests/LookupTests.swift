// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Finding entries")
struct LookupTests {
    private func pair(_ id: String, _ sent: UInt64?, nominated: Bool, _ state: CandidatePairStats.State)
        -> CandidatePairStats
    {
        var pair = CandidatePairStats(id: id, timestamp: 1)
        pair.bytesSent = sent
        pair.nominated = nominated
        pair.state = state
        return pair
    }

    @Test("the transport names the pair in use")
    func transportDecides() {
        var report = StatsReport(timestamp: 1)
        report.candidatePairs = [
            pair("a", 100, nominated: true, .succeeded), pair("b", 1, nominated: false, .inProgress),
        ]
        var transport = ICETransportStats(id: "T", timestamp: 1)
        transport.selectedCandidatePairId = "b"
        report.transports = [ICETransportStats(id: "none", timestamp: 1), transport]
        #expect(report.selectedCandidatePair?.id == "b")
        #expect(report.selectedCandidatePair(of: transport)?.id == "b")
        #expect(report.selectedCandidatePair(of: report.transports[0]) == nil)
    }

    @Test("without one, the nominated pair that succeeded and sent most is the one")
    func nominatedPair() {
        var report = StatsReport(timestamp: 1)
        report.candidatePairs = [
            pair("a", 900, nominated: false, .succeeded), pair("b", nil, nominated: true, .succeeded),
            pair("c", 5, nominated: true, .succeeded), pair("d", 700, nominated: true, .failed),
        ]
        #expect(report.selectedCandidatePair?.id == "c")
        report.candidatePairs.removeAll { $0.nominated == true }
        #expect(report.selectedCandidatePair == nil)
    }

    @Test("ids lead from entry to entry")
    func references() throws {
        let report = try StatsReport.parse(Fixture.report("receiver")).report
        for inbound in report.inboundRTP {
            #expect(report.codec(id: inbound.codecId)?.id == inbound.codecId)
            #expect(report.transport(id: inbound.transportId) != nil)
            #expect(report.inboundRTP(id: inbound.id) == inbound)
            if let remote = report.remoteOutboundRTP(id: inbound.remoteId) {
                #expect(remote.localId == inbound.id)
            }
        }
        let pair = try #require(report.selectedCandidatePair)
        #expect(report.localCandidate(id: pair.localCandidateId)?.candidateType != nil)
        #expect(report.remoteCandidate(id: pair.remoteCandidateId)?.candidateType != nil)
        #expect(report.candidatePair(id: pair.id) == pair)
        #expect(report.certificate(id: report.transports.first?.localCertificateId) != nil)
        #expect(report.codec(id: nil) == nil)
        #expect(report.codec(id: "nobody") == nil)
    }

    @Test("ids lead from a sender's streams to their sources and reports")
    func senderReferences() throws {
        let report = try StatsReport.parse(Fixture.report("sender")).report
        for outbound in report.outboundRTP {
            #expect(report.mediaSource(id: outbound.mediaSourceId)?.kind == outbound.kind)
            #expect(report.outboundRTP(id: outbound.id) == outbound)
            if let remote = report.remoteInboundRTP(id: outbound.remoteId) {
                #expect(remote.localId == outbound.id)
            }
        }
        let chromium = try #require(try Fixture.series("chromium_sub").last)
        let played = try StatsReport.parse(chromium.bytes).report
        let audio = try #require(played.inboundRTP.first { $0.kind == .audio })
        #expect(played.mediaPlayout(id: audio.playoutId) != nil)
    }

    @Test("values are read by their kind")
    func values() {
        let value = StatsValue.object([StatsMember(name: "a", value: .uint(1 << 63))])
        #expect(value["a"]?.number == 9_223_372_036_854_775_808)
        #expect(value["b"] == nil)
        #expect(StatsValue.int(2)["a"] == nil)
        #expect(StatsValue.int(2).number == 2)
        #expect(StatsValue.string("x").text == "x")
        #expect(StatsValue.bool(true).flag == true)
        #expect(StatsValue.null.number == nil)
        #expect(StatsValue.null.text == nil)
        #expect(StatsValue.null.flag == nil)
        #expect(StatsValue(UInt64.max) == .uint(.max))
        #expect(StatsValue(UInt64(7)) == .int(7))
    }
}
