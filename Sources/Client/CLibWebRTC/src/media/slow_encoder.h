// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_SLOW_ENCODER_H
#define SIGHTLINE_SLOW_ENCODER_H

#include <cstdint>
#include <memory>

#include "api/video_codecs/video_encoder_factory.h"

namespace sightline {

/// The longest artificial encoding time.
inline constexpr uint16_t kMaximumEncodeDelayMs = 2000;

/// The frame id that makes a slowable encoder take `delay_ms` longer over a frame.
///
/// The delay travels with the frame because an encoder knows neither its sender nor its source, while
/// libwebrtc passes the id through untouched and uses it for nothing in a sender. Id 0 is "not set".
inline constexpr uint16_t FrameIdForDelay(uint16_t delay_ms) {
    return delay_ms;
}

/// Wraps every encoder of `inner`: before a frame is encoded, its artificial delay passes on the encoder's
/// queue, which to libwebrtc looks like a CPU too slow for the job.
std::unique_ptr<webrtc::VideoEncoderFactory> CreateSlowableEncoderFactory(
    std::unique_ptr<webrtc::VideoEncoderFactory> inner);

}  // namespace sightline
#endif
