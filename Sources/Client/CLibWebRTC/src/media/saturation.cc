// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "peer/engine_prelude.h"

#include "media/saturation.h"

#include <algorithm>

namespace sightline {
namespace {

using PC = webrtc::PeerConnectionInterface;

/// Of the forced estimate, what the video may ask for: audio has to fit beside it, and a suspended stream, which
/// would not pad, begins again only with a tenth to spare.
constexpr double kHeadRoom = 1.25;

/// A stream that is suspended for want of bandwidth pads up to its minimum on and on, also without frames, and so fills a
/// narrow path. Made inactive, it would take most of a second to begin again.
constexpr int kLeastVideo = 1'000;

/// How long a path counts as one without an answer to its checks, in ms: longer than it is filled.
constexpr int kLongestSilence = 30'000;

webrtc::RTCError SetVideoBounds(PC& connection, absl::optional<int> minimum, int maximum) {
    for (const auto& sender : connection.GetSenders()) {
        if (sender->media_type() != cricket::MEDIA_TYPE_VIDEO) continue;
        webrtc::RtpParameters parameters = sender->GetParameters();
        for (auto& encoding : parameters.encodings) {
            encoding.min_bitrate_bps = minimum;
            encoding.max_bitrate_bps = maximum;
        }
        webrtc::RTCError error = sender->SetParameters(parameters);
        if (!error.ok()) return error;
    }
    return webrtc::RTCError::OK();
}

}  // namespace

void AllowSaturation(PC::RTCConfiguration& configuration) {
    // The one case in which libwebrtc pads a single stream up to its minimum bitrate.
    configuration.set_suspend_below_min_bitrate(true);
    // A narrow path that is filled loses nearly all checks; taken for a dead one, it would not be filled any more.
    configuration.ice_unwritable_timeout = configuration.ice_inactive_timeout = kLongestSilence;
}

webrtc::RTCError BeginSaturation(PC& connection, int bitrate) {
    webrtc::BitrateSettings forced;
    forced.min_bitrate_bps = forced.start_bitrate_bps = forced.max_bitrate_bps =
        static_cast<int>(std::min(bitrate * kHeadRoom, 1e9));
    webrtc::RTCError error = connection.SetBitrate(forced);
    if (!error.ok()) return error;
    return SetVideoBounds(connection, bitrate, bitrate);
}

webrtc::RTCError EndSaturation(PC& connection, const webrtc::BitrateSettings& after, int max_video_bitrate) {
    const bool has_video = max_video_bitrate > 0;
    webrtc::RTCError error = has_video ? SetVideoBounds(connection, absl::nullopt, max_video_bitrate)
                                       : SetVideoBounds(connection, kLeastVideo, kLeastVideo);
    if (!error.ok()) return error;
    return connection.SetBitrate(after);
}

}  // namespace sightline
