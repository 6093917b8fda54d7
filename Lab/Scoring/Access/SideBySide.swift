// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes something of each item, a number of them at a time: they begin in order, and the results are in that order,
/// whatever ends first.
///
/// Once one has failed none begins any more. Those that have begun are made to their end.
///
/// - Parameter jobs: How many are made at a time, at least one.
/// - Returns: What came of each item; `nil` for those that never began.
package func sideBySide<Item: Sendable, Output: Sendable>(
    _ items: [Item], jobs: Int, _ make: @escaping @Sendable (Item) async throws -> Output
) async -> [Result<Output, any Error>?] {
    await withTaskGroup(of: (Int, Result<Output, any Error>).self) { group in
        var results = [Result<Output, any Error>?](repeating: nil, count: items.count)
        var begun = 0, ended = 0, isFailed = false
        while true {
            while !isFailed, begun < items.count, begun - ended < max(1, jobs) {
                let index = begun, item = items[index]
                group.addTask { (index, await result(of: item, make)) }
                begun += 1
            }
            guard let (index, result) = await group.next() else { return results }
            ended += 1
            results[index] = result
            if case .failure = result { isFailed = true }
        }
    }
}

private func result<Item, Output>(
    of item: Item, _ make: (Item) async throws -> Output
) async -> Result<Output, any Error> {
    do { return .success(try await make(item)) } catch { return .failure(error) }
}
