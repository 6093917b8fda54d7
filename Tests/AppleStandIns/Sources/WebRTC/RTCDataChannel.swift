// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

open class RTCDataBuffer: NSObject {
    public let data: Data
    public let isBinary: Bool

    public init(data: Data, isBinary: Bool) {
        self.data = data
        self.isBinary = isBinary
    }
}

open class RTCDataChannelConfiguration: NSObject {
    public var isOrdered = true
    public var maxRetransmits: Int32 = -1

    public override init() {}
}

public protocol RTCDataChannelDelegate: NSObjectProtocol {
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel)
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer)
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name; it notes what is sent.
open class RTCDataChannel: NSObject {
    public let label: String
    public weak var delegate: (any RTCDataChannelDelegate)?
    public private(set) var readyState = RTCDataChannelState.connecting
    @_spi(StandIn) public private(set) var sent: [RTCDataBuffer] = []
    /// Whether there is no room for another message.
    @_spi(StandIn) public var isFull = false

    @_spi(StandIn) public init(label: String) { self.label = label }

    @_spi(StandIn) public func enter(_ state: RTCDataChannelState) {
        readyState = state
        delegate?.dataChannelDidChangeState(self)
    }

    public func sendData(_ data: RTCDataBuffer) -> Bool {
        guard readyState == .open, !isFull else { return false }
        sent.append(data)
        return true
    }

    public func close() { enter(.closed) }
}
