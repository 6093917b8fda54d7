// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What one direction of a line did to its packets: the ground truth.
///
/// Bytes are those of whole IP packets.
package struct LineCounters: Sendable, Equatable {
    /// The packets of one protocol.
    package struct Traffic: Sendable, Equatable {
        package var offered = Amount()
        package var delivered = Amount()
        /// Dropped at random or in bursts.
        package var lost = Amount()
        /// Dropped by the full queue.
        package var queueFull = Amount()
        /// Dropped by an outage.
        package var outage = Amount()

        package init() {}
    }

    /// Packets, and the bytes in them.
    package struct Amount: Sendable, Equatable {
        package var packets = 0
        package var bytes = 0

        package init() {}

        mutating func add(_ size: Int) {
            packets += 1
            bytes += size
        }
    }

    package var udp = Traffic()
    package var tcp = Traffic()
    package var other = Traffic()

    package init() {}

    /// All protocols together.
    package var total: Traffic {
        var total = Traffic()
        for traffic in [udp, tcp, other] {
            for path in [\Traffic.offered, \.delivered, \.lost, \.queueFull, \.outage] {
                total[keyPath: path].packets += traffic[keyPath: path].packets
                total[keyPath: path].bytes += traffic[keyPath: path].bytes
            }
        }
        return total
    }

    subscript(kind: TransportKind) -> Traffic {
        get {
            switch kind {
            case .udp: udp
            case .tcp: tcp
            case .other: other
            }
        }
        set {
            switch kind {
            case .udp: udp = newValue
            case .tcp: tcp = newValue
            case .other: other = newValue
            }
        }
    }
}

/// What an IP packet carries.
enum TransportKind: Sendable {
    case udp, tcp, other

    /// Reads the header of an IPv4 packet; fragments count with their protocol.
    init(packet: UnsafeRawBufferPointer) {
        guard packet.count >= 20, packet[0] >> 4 == 4 else {
            self = .other
            return
        }
        switch packet[9] {
        case 6: self = .tcp
        case 17: self = .udp
        default: self = .other
        }
    }
}
