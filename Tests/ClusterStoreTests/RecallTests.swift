// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import ClusterStore

@Suite("What was read of another node's log")
struct RecallTests {
    @Test(
        "is not read once more for those who asked before, however many, nor for anyone once nothing more comes"
    )
    func once() {
        let begin = ContinuousClock.now
        var recall = ClusterHistory.Recall(last: 7, isWhole: false, begin: begin)
        #expect(recall.covers(begin - .milliseconds(1)) && recall.covers(begin))
        // A call may have come from that node since.
        #expect(!recall.covers(begin + .milliseconds(1)))
        recall.isWhole = true
        #expect(recall.covers(begin + .seconds(100)))
    }
}
