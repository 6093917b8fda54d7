// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if THREAD_SANITIZER || OWN_LOCK
import Foundation

/// Stands in for Swift's `Mutex`: in what is built for Apple's systems as well, where that begins with iOS 18 and macOS 15
/// (`OWN_LOCK`), and under the thread sanitizer, which does not see the futex that it waits on and takes every hand-over
/// through it for a race.
final class Mutex<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `value` is only touched with the lock held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
#endif
