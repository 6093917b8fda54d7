// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// As in WebRTC.framework.
open class RTCDataBuffer: NSObject {
    public let data: Data
    public let isBinary: Bool

    public init(data: Data, isBinary: Bool) {
        self.data = data
        self.isBinary = isBinary
    }
}

/// As in WebRTC.framework.
open class RTCDataChannelConfiguration: NSObject {
    public var isOrdered = true
    public var maxRetransmits: Int32 = -1

    public override init() {}
}

/// As in WebRTC.framework.
public protocol RTCDataChannelDelegate: NSObjectProtocol {
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel)
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer)
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name; it notes what is sent.
open class RTCDataChannel: NSObject {
    public let label: String
    public weak var delegate: (any RTCDataChannelDelegate)?
    public private(set) var sent: [RTCDataBuffer] = []
    public var readyState = RTCDataChannelState.connecting {
        didSet { delegate?.dataChannelDidChangeState(self) }
    }

    /// Creates one, which the framework leaves to its peer connections.
    public init(label: String) { self.label = label }

    public func sendData(_ data: RTCDataBuffer) -> Bool {
        guard readyState == .open else { return false }
        sent.append(data)
        return true
    }

    public func close() { readyState = .closed }
}
