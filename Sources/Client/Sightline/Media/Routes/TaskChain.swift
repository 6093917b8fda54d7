// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Things to be done one after the other, without anyone waiting but in the end.
struct TaskChain {
    private var last: Task<Void, Never>?

    /// Does something when everything before it is done.
    mutating func add(_ body: @escaping @Sendable () async -> Void) {
        last = Task { [last] in
            await last?.value
            await body()
        }
    }

    /// Waits until everything is done.
    func finished() async { await last?.value }
}
