// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@testable import WebRTCStats

/// Scripts/generate-stats-model.py --check compares the generated files themselves.
@Suite("The model's table")
struct ModelTableTests {
    @Test("the generated names are those of Scripts/stats-model.txt")
    func names() throws {
        var names: Set<String> = ["type", "id", "timestamp"]
        for line in try Fixture.modelTable().split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("known ") {
                names.formUnion(line.split(separator: " ").dropFirst().map(String.init))
            } else if let name = line.split(separator: " | ").first, line.contains(" | ") {
                names.insert(String(name))
            }
        }
        #expect(names == Set(MemberNames.all))
        #expect(MemberNames.all.count == names.count)
        #expect(names.count < 255)
    }
}
