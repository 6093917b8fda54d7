// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_AUDIO_H_
#define SIGHTLINE_ROUTER_AUDIO_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/audio_codecs/audio_encoder_factory.h"
#include "api/frame_transformer_interface.h"
#include "api/media_stream_interface.h"
#include "modules/audio_device/include/audio_device.h"
#include "router/audio_timeline.h"
#include "router/transit_baseline.h"

namespace sightline {

/// One encoded audio packet on its way from a publisher to the stream's subscribers. Immutable and shared.
struct AudioPacket {
    std::vector<uint8_t> payload;
    uint32_t rtp_timestamp = 0;
    AudioOrigin origin;
};

using AudioPacketPtr = std::shared_ptr<const AudioPacket>;

/// Lends packets out against tokens: libwebrtc carries only samples from an audio source to an encoder, so a
/// token travels in the samples. Holds at most 4096 packets; beyond that the oldest are forgotten.
/// Thread-safe.
class AudioPacketCloakroom {
public:
    /// What a subscriber's encoder is to send.
    struct Deposit {
        AudioPacketPtr packet;
        uint32_t rtp_timestamp = 0;
    };

    uint64_t Leave(Deposit deposit);
    std::optional<Deposit> Collect(uint64_t token);

private:
    static constexpr size_t kCapacity = 4096;

    std::mutex mutex_;
    uint64_t next_token_ = 1;
    uint64_t oldest_token_ = 1;
    std::unordered_map<uint64_t, Deposit> deposits_;
};

/// Feeds one subscriber's audio sender. Event driven: each packet becomes ten milliseconds of token samples
/// at once, without a timer. Packets come on one thread at a time; the rest may be called on any thread.
class AudioForwarder {
public:
    /// `lateness` is for the video of the same subscriber.
    AudioForwarder(std::shared_ptr<AudioPacketCloakroom> cloakroom, std::shared_ptr<LatestLateness> lateness);
    ~AudioForwarder();

    rtc::scoped_refptr<webrtc::AudioSourceInterface> source() const;
    void OnPacket(const AudioPacketPtr& packet);

private:
    class Source;

    const std::shared_ptr<AudioPacketCloakroom> cloakroom_;
    const rtc::scoped_refptr<Source> source_;
    std::mutex mutex_;
    AudioTimeline timeline_;
    const std::shared_ptr<LatestLateness> lateness_;
    TransitBaseline baseline_{kOpusTicksPerMs};
};

/// Opus encoders that send the packet whose token is in the samples.
rtc::scoped_refptr<webrtc::AudioEncoderFactory> CreatePassThroughAudioEncoders(
    std::shared_ptr<AudioPacketCloakroom> cloakroom);

/// Takes the packets of one stream of a publisher leg before any jitter buffer or decoder sees them. `on_packet`
/// runs on the worker thread and must not wait.
rtc::scoped_refptr<webrtc::FrameTransformerInterface> CreateAudioTap(
    uint64_t leg, std::function<void(AudioPacketPtr)> on_packet);

using AudioTapFactory = std::function<rtc::scoped_refptr<webrtc::FrameTransformerInterface>()>;

/// An audio device with no device behind it and no thread: nothing is played or captured in a router.
rtc::scoped_refptr<webrtc::AudioDeviceModule> CreateSilentAudioDevice();

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_AUDIO_H_
