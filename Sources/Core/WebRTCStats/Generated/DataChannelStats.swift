// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One data channel.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct DataChannelStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Label of the channel.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-label)
    public var label: String?

    /// Subprotocol of the channel.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-protocol)
    public var `protocol`: String?

    /// SCTP stream id of the channel.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-datachannelidentifier)
    public var dataChannelIdentifier: UInt64?

    /// State of the channel.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-state)
    public var state: DataChannelStats.State?

    /// Messages sent (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-messagessent)
    public var messagesSent: UInt64?

    /// Payload bytes sent (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-bytessent)
    public var bytesSent: UInt64?

    /// Messages received (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-messagesreceived)
    public var messagesReceived: UInt64?

    /// Payload bytes received (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcdatachannelstats-bytesreceived)
    public var bytesReceived: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
