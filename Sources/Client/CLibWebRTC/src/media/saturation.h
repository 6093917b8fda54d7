// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_SATURATION_H
#define SIGHTLINE_SATURATION_H

#include "api/peer_connection_interface.h"

namespace sightline {

/// Lets a peer connection that will be made with `configuration` be saturated.
void AllowSaturation(webrtc::PeerConnectionInterface::RTCConfiguration& configuration);

/// Makes a connection send `bitrate` bps, its video first and padding after it, whatever congestion control
/// believes: the rate at which it arrives is then what the network carries. Only for connections whose
/// configuration allows it and that send video; on the signalling thread. May be repeated with another rate.
webrtc::RTCError BeginSaturation(webrtc::PeerConnectionInterface& connection, int bitrate);

/// Gives the connection back to congestion control, which begins again with the start rate of `after`; the
/// video's bitrate is bounded by `max_video_bitrate`; with 0, next to none of it is sent, and no padding in its place. On the signalling thread.
webrtc::RTCError EndSaturation(
    webrtc::PeerConnectionInterface& connection, const webrtc::BitrateSettings& after, int max_video_bitrate);

}  // namespace sightline
#endif
