// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_FRAME_H_
#define SIGHTLINE_ROUTER_FRAME_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "api/video/encoded_image.h"
#include "api/video/i420_buffer.h"
#include "api/video/video_codec_type.h"
#include "api/video/video_frame_buffer.h"

namespace sightline {

/// One encoded frame on its way from a publisher's layer to the stream's subscribers. Immutable and shared:
/// the payload is never copied.
struct EncodedFrame {
    rtc::scoped_refptr<webrtc::EncodedImageBufferInterface> payload;
    size_t size = 0;
    /// Of the last key frame; delta frames do not carry it.
    int width = 0;
    int height = 0;
    bool is_key = false;
    uint32_t rtp_timestamp = 0;
    webrtc::VideoRotation rotation = webrtc::kVideoRotation_0;
    webrtc::VideoCodecType codec = webrtc::kVideoCodecGeneric;
    /// The temporal layer: what is above a layer may be omitted. 0 when the codec or its sender has none.
    int temporal_layer = 0;
    /// From this frame on its temporal layer can be shown, whatever of it was omitted before.
    bool is_temporal_switch = false;
    /// Counts the frames of one decoder, without gaps.
    uint64_t number = 0;
};

using EncodedFramePtr = std::shared_ptr<const EncodedFrame>;

/// Temporal layers that are distinguished; VP8 has no more than four, and no one sends more than three.
inline constexpr int kTemporalLayers = 4;

class VideoForwarder;

/// Carries an encoded frame through libwebrtc's video pipeline, which believes it to be a raw frame that
/// only the (pass-through) encoder can read.
class EncodedFrameBuffer : public webrtc::VideoFrameBuffer {
public:
    EncodedFrameBuffer(EncodedFramePtr frame, int width, int height)
        : EncodedFrameBuffer(std::move(frame), width, height, nullptr, 0) {}

    /// For a subscriber: `number` counts the frames handed to its encoder.
    EncodedFrameBuffer(
        EncodedFramePtr frame, int width, int height, std::shared_ptr<VideoForwarder> forwarder,
        uint64_t number)
        : frame_(std::move(frame)), width_(width), height_(height), forwarder_(std::move(forwarder)),
          number_(number) {}

    Type type() const override { return Type::kNative; }
    int width() const override { return width_; }
    int height() const override { return height_; }
    /// No one in the router asks for pixels; a caller that does gets a small black frame.
    rtc::scoped_refptr<webrtc::I420BufferInterface> ToI420() override {
        auto black = webrtc::I420Buffer::Create(16, 16);
        webrtc::I420Buffer::SetBlack(black.get());
        return black;
    }

    const EncodedFramePtr& frame() const { return frame_; }
    const std::shared_ptr<VideoForwarder>& forwarder() const { return forwarder_; }
    uint64_t number() const { return number_; }

private:
    const EncodedFramePtr frame_;
    const int width_;
    const int height_;
    const std::shared_ptr<VideoForwarder> forwarder_;
    const uint64_t number_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_FRAME_H_
