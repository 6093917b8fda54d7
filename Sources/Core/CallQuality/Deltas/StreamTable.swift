// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is remembered of one stream of packets.
protocol StreamDeltaTracker {
    /// The stream's SSRC, or what stands for it.
    var key: UInt64 { get }
    /// Number of the last report that had the stream.
    var lastSeen: UInt64 { get set }

    init(key: UInt64)
    /// Forgets when readings were taken, after a step of the clock.
    mutating func forgetTimes()
}

/// What is remembered of all streams of packets of one direction.
struct StreamTable<Memory: StreamDeltaTracker & Sendable>: Sendable {
    /// Most streams that are remembered; one that the newest report lacks is forgotten first.
    static var most: Int { 1024 }

    private var memories: [Memory] = []

    /// Lets the body work on the memory of a stream, a new one if it was never seen.
    mutating func update<Result>(key: UInt64, report: UInt64, _ body: (inout Memory) -> Result) -> Result {
        for index in memories.indices where memories[index].key == key {
            memories[index].lastSeen = report
            return body(&memories[index])
        }
        makeRoom()
        var memory = Memory(key: key)
        memory.lastSeen = report
        let result = body(&memory)
        memories.append(memory)
        return result
    }

    mutating func forgetTimes() {
        for index in memories.indices { memories[index].forgetTimes() }
    }

    private mutating func makeRoom() {
        guard memories.count >= Self.most else { return }
        let oldest = memories.indices.min { memories[$0].lastSeen < memories[$1].lastSeen }
        if let oldest { memories.remove(at: oldest) }
    }
}
