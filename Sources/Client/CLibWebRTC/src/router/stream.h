// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_STREAM_H_
#define SIGHTLINE_ROUTER_STREAM_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/media_stream_interface.h"
#include "api/video/video_sink_interface.h"
#include "router/audio.h"
#include "router/key_frame_limiter.h"
#include "router/sdp.h"
#include "router/video_forwarder.h"
#include "rtc_base/thread.h"

namespace sightline {

/// What has arrived on one layer.
struct LayerCounters {
    uint64_t frames = 0;
    uint64_t key_frames = 0;
    uint64_t bytes = 0;
    /// Key frame requests sent to the publisher.
    uint64_t key_frame_requests = 0;
    /// Of each temporal layer.
    std::array<uint64_t, kTemporalLayers> temporal_frames{};
    std::array<uint64_t, kTemporalLayers> temporal_bytes{};
    /// 0 before the first key frame.
    int width = 0;
    int height = 0;
    /// By libwebrtc's monotonic clock; `nullopt` before the first frame.
    std::optional<int64_t> last_frame_ms;
};

/// One layer of a publisher leg: counts its frames, hands them on, asks for key frames.
///
/// Frames come on the layer's decoder queue. The rest may be called on any thread.
class PublisherLayer final : public rtc::VideoSinkInterface<webrtc::VideoFrame>,
                             public std::enable_shared_from_this<PublisherLayer> {
public:
    /// Must not wait.
    using OnFrameCallback = std::function<void(const PublisherLayer&, const EncodedFramePtr&)>;

    /// `worker` is the engine's, on which libwebrtc wants to be asked for key frames; it outlives the layer's
    /// leg.
    PublisherLayer(
        LayerId id, uint64_t leg, std::string rid, rtc::scoped_refptr<webrtc::VideoTrackInterface> track,
        rtc::Thread* worker, OnFrameCallback on_frame);

    LayerId id() const { return id_; }
    uint64_t leg() const { return leg_; }
    /// Empty without simulcast.
    const std::string& rid() const { return rid_; }
    LayerCounters counters() const;

    /// Begins to take frames. Waits for the worker thread.
    void Start();
    /// No frame is handed on, and the track is released, when this returns. Waits for the worker thread.
    void Stop();
    void RequestKeyFrame(KeyFrameReason reason);
    /// Whether it takes the frames of `track`. Not while it is being stopped.
    bool Takes(const webrtc::VideoTrackInterface& track) const { return track_.get() == &track; }

    void OnFrame(const webrtc::VideoFrame& carrier) override;

private:
    void SendOrSchedule();

    const LayerId id_;
    const uint64_t leg_;
    const std::string rid_;
    /// Changed by `Stop` only.
    rtc::scoped_refptr<webrtc::VideoTrackInterface> track_;
    rtc::Thread* const worker_;
    const OnFrameCallback on_frame_;

    mutable std::mutex mutex_;
    LayerCounters counters_;
    KeyFrameLimiter limiter_;
    bool scheduled_ = false;
    bool stopped_ = false;
};

/// A subscriber's end of a stream.
struct StreamSubscriber {
    std::shared_ptr<VideoForwarder> video;
    std::shared_ptr<AudioForwarder> audio;
};

/// A stream: the publisher legs it comes from and the subscribers it goes to. Thread-safe.
///
/// *Make before break.* While a publisher is replaced, two legs deliver the same stream. Video moves to the
/// newer leg with that leg's first key frame, audio with its first packet; each subscriber's old layer goes
/// on until the new one's key frame is there, and no subscriber renegotiates.
class RouterStream : public std::enable_shared_from_this<RouterStream> {
public:
    void AddSubscriber(uint64_t leg, StreamSubscriber subscriber);
    void RemoveSubscriber(uint64_t leg);

    void AddLayer(std::shared_ptr<PublisherLayer> layer);
    /// Puts `layer` in the place of one of the same leg; who had chosen that one gets this one.
    void ReplaceLayer(LayerId old, std::shared_ptr<PublisherLayer> layer);
    /// Forgets the layers of a publisher leg, which the caller then stops.
    std::vector<std::shared_ptr<PublisherLayer>> RemoveLayers(uint64_t publisher_leg);
    /// The layers that subscribers can choose from now, in the order of the offer.
    std::vector<std::shared_ptr<PublisherLayer>> layers() const;

    void OnVideoFrame(const PublisherLayer& layer, const EncodedFramePtr& frame);
    void OnAudioPacket(const AudioPacketPtr& packet);
    /// Audio of a publisher leg that is gone: that of an older one counts again.
    void ForgetAudio(uint64_t publisher_leg);
    void RequestKeyFrame(LayerId layer, KeyFrameReason reason);

    /// The codec of the stream's video, the same on every leg; `nullopt` while no publisher has offered any.
    std::optional<RouterVideoCodec> video_codec() const;
    void SetVideoCodec(std::optional<RouterVideoCodec> codec);

private:
    struct Subscription {
        uint64_t leg;
        StreamSubscriber subscriber;
    };
    using Subscriptions = std::vector<Subscription>;
    using Layers = std::vector<std::shared_ptr<PublisherLayer>>;

    /// Makes `leg` the one that video comes from. Returns the selections that follow from it.
    std::vector<std::pair<std::shared_ptr<VideoForwarder>, LayerId>> MoveVideo(uint64_t leg);
    Layers LayersOf(uint64_t leg) const;

    mutable std::mutex mutex_;
    /// Replaced as a whole, so that a frame is handed round without holding the lock.
    std::shared_ptr<const Subscriptions> subscriptions_ = std::make_shared<Subscriptions>();
    Layers all_layers_;
    /// Leg numbers grow: the larger is the newer.
    uint64_t video_leg_ = 0;
    uint64_t audio_leg_ = 0;
    std::optional<RouterVideoCodec> video_codec_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_STREAM_H_
