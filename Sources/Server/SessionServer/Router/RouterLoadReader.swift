// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionCore

/// A media router that is there.
struct RunningRouter: Hashable, Sendable {
    let id: RouterID
    /// `nil` if it has none of its own.
    let process: Int32?
}

/// Measures how much of what they can do the media routers do, again and again.
///
/// Not in the hub, for which everyone waits: the kernel has a file for each thread, and where the machine is busy reading
/// them takes its time.
struct RouterLoadReader {
    /// What was measured of a router.
    struct Measurement: Sendable, Equatable {
        let router: RunningRouter
        /// Of what its threads can do; `nil` if no one knows.
        let share: Double?
    }

    private let processors: Double
    private let read: (Int32) -> RouterMeter.Spent?
    private var meters: [RunningRouter: RouterMeter] = [:]

    /// - Parameters:
    ///   - processors: What one of them can keep busy.
    ///   - read: Gives what a process has taken since it began; `nil` if no one knows.
    init(processors: Double, read: @escaping (Int32) -> RouterMeter.Spent? = Self.spent) {
        self.processors = processors
        self.read = read
    }

    private static func spent(_ process: Int32) -> RouterMeter.Spent? {
        ProcessLoad(process: process).map {
            .init(process: $0.processorSeconds, threads: ProcessLoad.threads(of: process))
        }
    }

    /// Measures routers, of which those are new that were not among them the last time, or had another process.
    ///
    /// - Parameter time: Gives the time of a clock that no one sets; asked for each of them, for reading takes some.
    /// - Returns: Those of which there is something to say: nothing is the first time.
    mutating func measure(_ routers: [RunningRouter], time: () -> Duration) -> [Measurement] {
        meters = meters.filter { routers.contains($0.key) }
        return routers.compactMap { router in
            guard let spent = router.process.flatMap(read) else {
                return Measurement(router: router, share: nil)
            }
            let share = meters[router, default: RouterMeter()].share(
                of: processors, spent: spent, at: time())
            return share.map { Measurement(router: router, share: $0) }
        }
    }
}
