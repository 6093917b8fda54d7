// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLineSystem
import CLinkModel
import Foundation
import LinkEmulation
import MediaEngine
import Synchronization

/// One direction of a line: reads IP packets from one TUN device and writes them to another when the link model says.
///
/// One queue and one timer, on a thread of its own.
final class LinkForwarder: Sendable {
    /// What the model decided for a UDP packet, for checks.
    struct Decision: Sendable {
        var offeredAt: Int64
        var fate: EmulatedLink.Fate
    }

    private struct Shared {
        var settings: sl_link_settings?
        var carriesTCP = true
        var isStopped = false
        var counters = LineCounters()
        var trace: [Decision]?
        var log: LineLog?
    }

    private let source: Int32
    private let sink: Int32
    /// A pipe whose end wakes the thread.
    private let wake = ProgramLaunch.pipe()
    private let shared = Mutex(Shared())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts at once; the descriptors stay the caller's.
    init(from source: Int32, to sink: Int32, seed: UInt64, name: String) {
        self.source = source
        self.sink = sink
        let thread = Thread { [self] in
            run(EmulatedLink(seed: seed))
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    /// What has happened so far.
    var counters: LineCounters { shared.withLock { $0.counters } }

    /// Applies to packets from now on.
    func set(_ link: NetworkConditions.Link, carriesTCP: Bool = true) {
        shared.withLock {
            $0.settings = sl_link_settings(link)
            $0.carriesTCP = carriesTCP
        }
    }

    /// Begins to note what is decided for UDP packets.
    func startTrace() { shared.withLock { $0.trace = [] } }

    /// Ends the notes and returns them.
    func takeTrace() -> [Decision] {
        shared.withLock { shared in
            defer { shared.trace = nil }
            return shared.trace ?? []
        }
    }

    /// Begins to note what happens in each second from a time on.
    func startLog(at time: Int64) { shared.withLock { $0.log = LineLog(start: time) } }

    /// Ends the log and returns its seconds, and how punctual they were.
    func takeLog(at time: Int64) -> ([LineSecond], LinePunctuality) {
        shared.withLock { shared in
            defer { shared.log = nil }
            guard var log = shared.log else { return ([], LinePunctuality()) }
            return (log.finish(at: time), log.punctuality)
        }
    }

    /// Ends the thread; packets under way are gone.
    func stop() {
        shared.withLock { $0.isStopped = true }
        try? wake.fileHandleForWriting.close()
        ended.wait()
    }

    private func run(_ link: consuming EmulatedLink) {
        // Without the right to it, the line is as exact as the machine is idle.
        _ = sl_line_prefer_thread()
        var link = link
        var queue = PacketQueue()
        var baseDelay = 0.0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let wait = queue.nextDue.map { max(0, $0 - monotonicMicroseconds()) } ?? -1
            _ = sl_line_wait(source, wake.fileHandleForReading.fileDescriptor, wait)
            guard !shared.withLock({ $0.isStopped }) else { break }
            receive(into: &queue, over: &link, &baseDelay, buffer)
            deliver(from: &queue)
        }
        queue.removeAll()
    }

    /// Takes what the device has, but not for ever: what is due comes in between.
    private func receive(
        into queue: inout PacketQueue, over link: inout EmulatedLink, _ baseDelay: inout Double,
        _ buffer: UnsafeMutableRawBufferPointer
    ) {
        for _ in 0..<32 {
            let size = read(source, buffer.baseAddress, buffer.count)
            guard size > 0 else { return }
            let packet = UnsafeRawBufferPointer(rebasing: buffer[..<size])
            offer(packet, over: &link, &baseDelay, to: &queue)
        }
    }

    private func offer(
        _ packet: UnsafeRawBufferPointer, over link: inout EmulatedLink, _ baseDelay: inout Double,
        to queue: inout PacketQueue
    ) {
        let kind = TransportKind(packet: packet), now = monotonicMicroseconds()
        let (settings, isCut) = shared.withLock { shared in
            defer { shared.settings = nil }
            return (shared.settings, kind == .tcp && !shared.carriesTCP)
        }
        if let settings {
            link.set(settings)
            baseDelay = settings.delay_ms
        }
        let fate = isCut ? .outage : link.offer(bytes: packet.count, at: now)
        shared.withLock { shared in
            shared.counters[kind].offered.add(packet.count)
            switch fate {
            case .delivered: break
            case .lost: shared.counters[kind].lost.add(packet.count)
            case .queueFull: shared.counters[kind].queueFull.add(packet.count)
            case .outage: shared.counters[kind].outage.add(packet.count)
            }
            shared.log?.note(
                kind, bytes: packet.count, at: now, base: baseDelay, fate, isCut ? nil : link.encounter)
            if kind == .udp { shared.trace?.append(Decision(offeredAt: now, fate: fate)) }
        }
        if case .delivered(let due) = fate { queue.append(packet, kind, due: due) }
    }

    private func deliver(from queue: inout PacketQueue) {
        while let due = queue.nextDue, due <= monotonicMicroseconds() {
            queue.removeFirst { packet, kind in
                _ = write(sink, packet.baseAddress, packet.count)
                let now = monotonicMicroseconds()
                shared.withLock {
                    $0.counters[kind].delivered.add(packet.count)
                    $0.log?.deliver(kind, bytes: packet.count, due: due, at: now)
                }
            }
        }
    }
}

/// Packets under way, in order of arrival.
private struct PacketQueue {
    private struct Packet {
        let bytes: UnsafeMutableRawBufferPointer
        let kind: TransportKind
        let due: Int64
    }

    private var packets: [Packet] = []
    private var first = 0

    var nextDue: Int64? { first < packets.count ? packets[first].due : nil }

    mutating func append(_ packet: UnsafeRawBufferPointer, _ kind: TransportKind, due: Int64) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: packet.count, alignment: 16)
        copy.copyMemory(from: packet)
        packets.append(Packet(bytes: copy, kind: kind, due: due))
    }

    mutating func removeFirst(_ body: (UnsafeRawBufferPointer, TransportKind) -> Void) {
        let packet = packets[first]
        body(UnsafeRawBufferPointer(packet.bytes), packet.kind)
        packet.bytes.deallocate()
        first += 1
        if first > 1_024, first * 2 > packets.count {
            packets.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() {
        while nextDue != nil { removeFirst { _, _ in } }
    }
}
