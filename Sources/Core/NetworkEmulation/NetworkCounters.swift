// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What an emulated network did to the packets of one direction.
public struct NetworkCounters: Sendable, Equatable, Codable {
    /// Packets that came to it.
    public var packetsOffered: UInt64 = 0
    /// Bytes of those, without IP and UDP headers.
    public var bytesOffered: UInt64 = 0
    /// Packets it let through.
    public var packetsSent: UInt64 = 0
    /// Bytes of those.
    public var bytesSent: UInt64 = 0
    /// Packets lost at random or in bursts.
    public var droppedByLoss: UInt64 = 0
    /// Packets for which the queue had no room.
    public var droppedByQueue: UInt64 = 0
    /// Packets that met an outage.
    public var droppedByOutage: UInt64 = 0

    /// All zero.
    public init() {}

    /// Share of the packets lost at random or in bursts, 0 to 1; `nil` before there were any.
    public var lossFraction: Double? {
        packetsOffered == 0 ? nil : Double(droppedByLoss) / Double(packetsOffered)
    }
}

extension NetworkCounters {
    /// What has been counted since an earlier moment.
    package func since(_ earlier: NetworkCounters) -> NetworkCounters {
        var difference = NetworkCounters()
        for counter in Self.all {
            difference[keyPath: counter] =
                self[keyPath: counter] &- min(self[keyPath: counter], earlier[keyPath: counter])
        }
        return difference
    }

    /// Both together; a sum that is too large for a counter is its largest value.
    package static func + (first: NetworkCounters, second: NetworkCounters) -> NetworkCounters {
        var sum = NetworkCounters()
        for counter in all {
            let (value, isTooLarge) = first[keyPath: counter].addingReportingOverflow(
                second[keyPath: counter])
            sum[keyPath: counter] = isTooLarge ? .max : value
        }
        return sum
    }

    private static var all: [WritableKeyPath<NetworkCounters, UInt64>] {
        [
            \.packetsOffered, \.bytesOffered, \.packetsSent, \.bytesSent, \.droppedByLoss, \.droppedByQueue,
            \.droppedByOutage,
        ]
    }
}
