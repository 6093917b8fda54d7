// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a data channel is opened.
public struct DataChannelConfiguration: Sendable, Equatable {
    /// Name for the other side.
    public var label: String
    /// Messages arrive in the order in which they were sent.
    public var isOrdered: Bool
    /// Times a lost message is sent again; `nil` until it arrives.
    public var maxRetransmits: Int?

    /// A reliable, ordered channel.
    public init(label: String, isOrdered: Bool = true, maxRetransmits: Int? = nil) {
        self.label = label
        self.isOrdered = isOrdered
        self.maxRetransmits = maxRetransmits
    }
}

/// A data channel.
public protocol DataChannel: AnyObject, Sendable {
    /// Name given by the side that opened it.
    var label: String { get }
    /// What happens on it, from the beginning; ends when it closes. One stream, for one reader; not bounded, since
    /// messages may not be lost.
    var events: AsyncStream<DataChannelEvent> { get }
    /// Sends a message.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidState` while it is not open).
    func send(_ bytes: [UInt8], isBinary: Bool) throws
    /// Ends it.
    func close()
}

/// What happens on a data channel.
public enum DataChannelEvent: Sendable, Equatable {
    /// It can be used.
    case open
    /// A message arrived.
    case message([UInt8], isBinary: Bool)
    /// It is over.
    case closed
}
