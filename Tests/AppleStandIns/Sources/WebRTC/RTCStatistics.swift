// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// What AppleWebRTC uses of WebRTC.framework's class of the same name.
open class RTCStatistics: NSObject {
    /// Id of the entry.
    public let id: String
    /// Time in µs since 1970.
    public let timestamp_us: Double
    /// W3C name of the type.
    public let type: String
    /// The members.
    public let values: [String: NSObject]

    /// Creates an entry, which the framework does not let its users do.
    @_spi(StandIn) public init(id: String, timestamp_us: Double, type: String, values: [String: NSObject]) {
        self.id = id
        self.timestamp_us = timestamp_us
        self.type = type
        self.values = values
    }
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name.
open class RTCStatisticsReport: NSObject {
    /// Time in µs since 1970.
    public let timestamp_us: Double
    /// The entries by id.
    public let statistics: [String: RTCStatistics]

    /// Creates a report, which the framework does not let its users do.
    @_spi(StandIn) public init(timestamp_us: Double, statistics: [String: RTCStatistics]) {
        self.timestamp_us = timestamp_us
        self.statistics = statistics
    }
}
