// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/stream.h"

#include <algorithm>
#include <utility>

#include "router/frame.h"
#include "rtc_base/time_utils.h"

namespace sightline {

PublisherLayer::PublisherLayer(LayerId id, uint64_t leg, std::string rid,
                               rtc::scoped_refptr<webrtc::VideoTrackInterface> track, rtc::Thread* worker,
                               OnFrameCallback on_frame)
    : id_(id), leg_(leg), rid_(std::move(rid)), track_(std::move(track)), worker_(worker),
      on_frame_(std::move(on_frame)) {}

LayerCounters PublisherLayer::counters() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return counters_;
}

void PublisherLayer::Start() {
    track_->AddOrUpdateSink(this, rtc::VideoSinkWants());
}

void PublisherLayer::Stop() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        stopped_ = true;
    }
    // Waits for the worker thread, and thereby for a key frame request that is under way there: the track
    // must not be released on that thread, its destructor waits for the signalling thread.
    track_->RemoveSink(this);
    track_ = nullptr;
}

void PublisherLayer::OnFrame(const webrtc::VideoFrame& carrier) {
    const auto buffer = carrier.video_frame_buffer();
    if (buffer->type() != webrtc::VideoFrameBuffer::Type::kNative) return;
    const EncodedFramePtr& frame = static_cast<const EncodedFrameBuffer*>(buffer.get())->frame();
    {
        std::lock_guard<std::mutex> lock(mutex_);
        ++counters_.frames;
        counters_.bytes += frame->size;
        ++counters_.temporal_frames[frame->temporal_layer];
        counters_.temporal_bytes[frame->temporal_layer] += frame->size;
        counters_.last_frame_ms = rtc::TimeMillis();
        if (frame->is_key) {
            ++counters_.key_frames;
            counters_.width = frame->width;
            counters_.height = frame->height;
            limiter_.OnKeyFrame();
        }
    }
    on_frame_(*this, frame);
}

void PublisherLayer::RequestKeyFrame(KeyFrameReason reason) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (stopped_) return;
        limiter_.Request(reason);
        const auto next = limiter_.NextSend();
        // A request that is already on its way in time covers this one.
        if (scheduled_ && next && *next > rtc::TimeMillis()) return;
        scheduled_ = true;
    }
    worker_->PostTask([weak = weak_from_this()] {
        if (auto layer = weak.lock()) layer->SendOrSchedule();
    });
}

void PublisherLayer::SendOrSchedule() {
    int64_t wait_ms = 0;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const int64_t now_ms = rtc::TimeMillis();
        const auto next = limiter_.NextSend();
        scheduled_ = next && *next > now_ms && !stopped_;
        if (!next || stopped_) return;
        if (scheduled_) {
            wait_ms = *next - now_ms;
        } else if (limiter_.TrySend(now_ms)) {
            ++counters_.key_frame_requests;
        }
    }
    if (wait_ms == 0) return track_->GetSource()->GenerateKeyFrame();
    worker_->PostDelayedTask(
        [weak = weak_from_this()] {
            if (auto layer = weak.lock()) layer->SendOrSchedule();
        },
        webrtc::TimeDelta::Millis(wait_ms));
}

void RouterStream::AddSubscriber(uint64_t leg, StreamSubscriber subscriber) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<Subscriptions>(*subscriptions_);
    next->push_back({leg, std::move(subscriber)});
    subscriptions_ = std::move(next);
}

void RouterStream::RemoveSubscriber(uint64_t leg) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<Subscriptions>(*subscriptions_);
    std::erase_if(*next, [&](const Subscription& subscription) { return subscription.leg == leg; });
    subscriptions_ = std::move(next);
}

void RouterStream::AddLayer(std::shared_ptr<PublisherLayer> layer) {
    std::lock_guard<std::mutex> lock(mutex_);
    // The first leg is chosen before its first frame, so that its layers can be asked for key frames.
    if (video_leg_ == 0) video_leg_ = layer->leg();
    all_layers_.push_back(std::move(layer));
}

void RouterStream::ReplaceLayer(LayerId old, std::shared_ptr<PublisherLayer> layer) {
    const LayerId id = layer->id();
    std::shared_ptr<const Subscriptions> subscriptions;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        std::ranges::replace_if(all_layers_, [&](const auto& known) { return known->id() == old; }, layer);
        subscriptions = subscriptions_;
    }
    for (const Subscription& subscription : *subscriptions) {
        if (subscription.subscriber.video) subscription.subscriber.video->Replace(old, id);
    }
}

std::vector<std::shared_ptr<PublisherLayer>> RouterStream::RemoveLayers(uint64_t publisher_leg) {
    Layers removed;
    std::vector<std::pair<std::shared_ptr<VideoForwarder>, LayerId>> selections;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        removed = LayersOf(publisher_leg);
        std::erase_if(all_layers_, [&](const auto& layer) { return layer->leg() == publisher_leg; });
        // A leg that is taken away before its successor delivered leaves the stream to the successor, if any.
        if (video_leg_ == publisher_leg) {
            selections = MoveVideo(all_layers_.empty() ? 0 : all_layers_.back()->leg());
        }
    }
    for (auto& [forwarder, layer] : selections) forwarder->Select(layer, false);
    return removed;
}

RouterStream::Layers RouterStream::LayersOf(uint64_t leg) const {
    Layers layers;
    std::ranges::copy_if(all_layers_, std::back_inserter(layers),
                         [&](const auto& layer) { return layer->leg() == leg; });
    return layers;
}

RouterStream::Layers RouterStream::layers() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return LayersOf(video_leg_);
}

std::vector<std::pair<std::shared_ptr<VideoForwarder>, LayerId>> RouterStream::MoveVideo(uint64_t leg) {
    std::vector<std::pair<std::shared_ptr<VideoForwarder>, LayerId>> selections;
    const Layers before = LayersOf(video_leg_);
    const Layers after = LayersOf(leg);
    video_leg_ = leg;
    if (after.empty()) return selections;
    for (const Subscription& subscription : *subscriptions_) {
        const auto& forwarder = subscription.subscriber.video;
        const LayerId wanted = forwarder ? forwarder->state().wanted : kNoLayer;
        if (wanted == kNoLayer) continue;
        const auto place = std::ranges::find(before, wanted, [](const auto& layer) { return layer->id(); });
        const size_t rank = place == before.end() ? 0 : place - before.begin();
        const size_t index = std::min(rank, after.size() - 1);
        selections.emplace_back(forwarder, after[index]->id());
    }
    return selections;
}

void RouterStream::OnVideoFrame(const PublisherLayer& layer, const EncodedFramePtr& frame) {
    std::shared_ptr<const Subscriptions> subscriptions;
    std::vector<std::pair<std::shared_ptr<VideoForwarder>, LayerId>> selections;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (frame->is_key && layer.leg() > video_leg_) selections = MoveVideo(layer.leg());
        subscriptions = subscriptions_;
    }
    // Before the frame is handed round: it may be the key frame that a selection waits for.
    for (auto& [forwarder, selected] : selections) forwarder->Select(selected, false);
    for (const Subscription& subscription : *subscriptions) {
        if (subscription.subscriber.video) subscription.subscriber.video->OnFrame(layer.id(), frame);
    }
}

void RouterStream::OnAudioPacket(const AudioPacketPtr& packet) {
    std::shared_ptr<const Subscriptions> subscriptions;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (packet->origin.leg < audio_leg_) return;
        audio_leg_ = packet->origin.leg;
        subscriptions = subscriptions_;
    }
    for (const Subscription& subscription : *subscriptions) {
        if (subscription.subscriber.audio) subscription.subscriber.audio->OnPacket(packet);
    }
}

void RouterStream::ForgetAudio(uint64_t publisher_leg) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (audio_leg_ == publisher_leg) audio_leg_ = 0;
}

void RouterStream::RequestKeyFrame(LayerId id, KeyFrameReason reason) {
    std::shared_ptr<PublisherLayer> found;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto place = std::ranges::find(all_layers_, id, [](const auto& layer) { return layer->id(); });
        if (place != all_layers_.end()) found = *place;
    }
    if (found) found->RequestKeyFrame(reason);
}

std::optional<RouterVideoCodec> RouterStream::video_codec() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return video_codec_;
}

void RouterStream::SetVideoCodec(std::optional<RouterVideoCodec> codec) {
    std::lock_guard<std::mutex> lock(mutex_);
    video_codec_ = std::move(codec);
}

}  // namespace sightline
