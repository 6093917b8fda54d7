// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import Foundation
import TestSupport
import Testing

@Suite("Recordings of released versions")
struct KeptRecordingTests {
    @Test(
        "are read without an issue", arguments: KeptRelease.all,
        ["publisher.jsonl.gz", "subscriber.jsonl.gz"])
    func read(release: KeptRelease, name: String) async throws {
        let folder = try TemporaryFolder()
        let plain = folder.file("recording.jsonl")
        try await release.unpack(name, to: plain.path)
        let bytes = Array(try Data(contentsOf: plain))
        let reading = try Reading(bytes)
        #expect(reading.format == .sightline)
        #expect(reading.records.count > 30)
        #expect(reading.issues.map(\.description) == [])
    }
}
