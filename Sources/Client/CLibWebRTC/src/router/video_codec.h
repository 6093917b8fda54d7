// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_VIDEO_CODEC_H_
#define SIGHTLINE_ROUTER_VIDEO_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/video/video_codec_type.h"
#include "api/video_codecs/video_decoder_factory.h"
#include "api/video_codecs/video_encoder_factory.h"

namespace sightline {

/// Decoders that hand out the encoded frame itself, as an `EncodedFrameBuffer`. VP8 and H.264.
std::unique_ptr<webrtc::VideoDecoderFactory> CreatePassThroughDecoderFactory();

/// Encoders that emit the encoded frame that is inside the "raw" one. VP8 and H.264.
std::unique_ptr<webrtc::VideoEncoderFactory> CreatePassThroughEncoderFactory();

/// Whether libwebrtc can make packets of a frame again. It aborts the process over an H.264 frame with an
/// empty NAL unit, which its own depacketizer lets a publisher send.
bool CanBePacketized(webrtc::VideoCodecType codec, const uint8_t* data, size_t size);

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_VIDEO_CODEC_H_
