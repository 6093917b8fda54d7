// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Synchronization

/// The traces of a server's calls, which are made where records are stored, and taken by the exporter.
final class CallTraces: Sendable {
    private let tracer: Mutex<CallTracer>

    init(run: String) { tracer = Mutex(CallTracer(run: run)) }

    /// Spans that had no room.
    var dropped: UInt64 { tracer.withLock { $0.dropped } }

    func take(_ records: [StoreRecord]) {
        tracer.withLock { tracer in
            for record in records { tracer.take(record) }
        }
    }

    func take(_ changes: [AlertChange]) {
        guard !changes.isEmpty else { return }
        tracer.withLock { tracer in
            for change in changes { tracer.take(change) }
        }
    }

    /// See ``CallTracer/turn(isLast:)``.
    func turn(isLast: Bool) { tracer.withLock { $0.turn(isLast: isLast) } }

    /// See ``CallTracer/takeSpans(_:events:)``.
    func takeSpans(_ count: Int, events limit: Int) -> [CallSpan] {
        tracer.withLock { $0.takeSpans(count, events: limit) }
    }

    /// See ``CallTracer/dropAll()``.
    func dropAll() -> Int { tracer.withLock { $0.dropAll() } }

    /// See ``CallTracer/putBack(_:)``.
    func putBack(_ spans: [CallSpan]) { tracer.withLock { $0.putBack(spans) } }
}
