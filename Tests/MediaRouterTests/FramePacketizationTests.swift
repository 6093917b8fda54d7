// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

/// libwebrtc's packetizer ends the process over an H.264 frame with an empty NAL unit, which its depacketizer
/// makes of a STAP-A with an empty entry: any publisher could end the router by one packet.
@Suite("H.264 frames that cannot be sent again")
struct FramePacketizationTests {
    private static let start: [UInt8] = [0, 0, 0, 1]
    private static let unit: [UInt8] = [0x65, 0x88, 0x84]

    @Test(
        "a frame of NAL units passes, one with an empty unit or without any is refused",
        arguments: [
            (start + unit, true),
            (start + unit + start + unit, true),
            ([0, 0, 1] + unit, true),
            ([], false),
            (unit, false),
            (start, false),
            (start + start + unit, false),
            // libwebrtc takes a start code at the very end for the unit's own bytes, here as in its packetizer.
            (start + unit + start, true),
            (start + unit + start + start + unit, false),
        ] as [([UInt8], Bool)])
    func packetizes(frame: [UInt8], passes: Bool) {
        #expect(sl_router_can_packetize_h264(frame, frame.count) == passes)
    }
}
