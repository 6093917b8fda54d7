// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Issues up to a limit; further ones are counted.
struct IssueList: Sendable {
    private(set) var issues: [RecordingIssue] = []
    private(set) var omitted = 0
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func note(_ code: RecordingIssue.Code, line: Int? = nil, _ detail: String) {
        if issues.count < limit {
            issues.append(RecordingIssue(code, line: line, detail: detail))
        } else {
            omitted += 1
        }
    }
}
