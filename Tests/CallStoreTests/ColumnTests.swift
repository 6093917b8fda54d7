// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Testing

@Suite("Columns of the store")
struct ColumnTests {

    @Test("a word's number in the store is its place among the cases, and stays")
    func codes() {
        #expect(NetworkCondition.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(NetworkReason.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(NetworkDegradationSource.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(
            Diagnosis.Cause.allCases.prefix(12).map(\.name) == [
                "none", "packetLoss", "bandwidth", "latency", "jitter", "connection", "cpu", "device",
                "media", "recovering", "unknown", "outOfSync",
            ])
        #expect(NetworkDirection.allCases.prefix(3).map(\.name) == ["uplink", "downlink", "both"])
        #expect(
            QualityLimitationReason.allCases.prefix(7).map(\.name) == [
                "none", "bandwidth", "cpu", "codec", "resolution", "layerChange", "other",
            ])
        #expect(Diagnosis.Cause.allCases.allSatisfy { Diagnosis.Cause(code: $0.code) == $0 })
        #expect(Diagnosis.Cause(code: 200) == nil && Diagnosis.Cause(code: -1) == nil)
    }

    @Test("layers that are damaged are absent, whatever was done to them")
    func damagedLayers() throws {
        let layers = try #require(StoreScenario.full.video?.layers)
        let bytes = LayerBlob.bytes(layers)
        #expect(LayerBlob.layers(bytes) == layers && bytes.count < 40)
        for length in 0..<bytes.count { _ = LayerBlob.layers(Array(bytes.prefix(length))) }
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << bit
                // What can be read is something that could have been written.
                if let read = LayerBlob.layers(damaged) {
                    #expect(LayerBlob.layers(LayerBlob.bytes(read)) == read)
                }
            }
        }
        #expect(LayerBlob.layers([0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        #expect(LayerBlob.layers([0, 0, 0, 0]) == nil)
        #expect(LayerBlob.layers(Array(repeating: 0xFF, count: 100)) == nil)
    }
}
