// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_ENGINE_H
#define SIGHTLINE_ENGINE_H

#include "peer/engine_prelude.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/audio_codecs/audio_decoder_factory.h"
#include "api/audio_codecs/audio_encoder_factory.h"
#include "api/call/call_factory_interface.h"
#include "api/peer_connection_interface.h"
#include "api/rtc_event_log/rtc_event_log_factory_interface.h"
#include "api/task_queue/task_queue_factory.h"
#include "api/transport/network_control.h"
#include "api/video_codecs/video_decoder_factory.h"
#include "api/video_codecs/video_encoder_factory.h"
#include "abi/live_count.h"
#include "modules/audio_device/include/audio_device.h"
#include "rtc_base/network.h"
#include "rtc_base/thread.h"

namespace sightline {

/// Prepares the process for libwebrtc: logging off, field trials, TLS. The first call decides; the trials are
/// process-wide and kept for ever, because libwebrtc keeps a pointer to the text.
void InitializeProcess(const std::string& field_trials);

/// Runs `work` at once, or on a thread of its own when the caller is a libwebrtc thread or queue.
///
/// For teardown: it waits for engine threads and may join them, which none of them can do for itself.
void RunOffEngine(std::function<void()> work);

/// What an `Engine` is made of. Null members mean the default named beside them.
struct EngineOptions {
    /// Begins the names of the engine's threads ("<prefix>net", ...; the kernel shows 15 characters).
    std::string thread_prefix = "sl-";
    /// Opus and G.711. libwebrtc's own "builtin" factory in this build has no Opus.
    rtc::scoped_refptr<webrtc::AudioEncoderFactory> audio_encoders;
    rtc::scoped_refptr<webrtc::AudioDecoderFactory> audio_decoders;
    /// VP8, VP9 and H.264; frames may carry an artificial encoding time (see `slow_encoder.h`).
    std::unique_ptr<webrtc::VideoEncoderFactory> video_encoders;
    std::unique_ptr<webrtc::VideoDecoderFactory> video_decoders;
    /// One thread per queue.
    std::unique_ptr<webrtc::TaskQueueFactory> task_queues;
    /// Plays out into nothing, on a 10 ms thread (see `playout_device.h`).
    rtc::scoped_refptr<webrtc::AudioDeviceModule> audio_device;
    /// libwebrtc's own; another is used only under the trial WebRTC-Bwe-InjectedCongestionController.
    std::unique_ptr<webrtc::NetworkControllerFactoryInterface> congestion_control;
    /// None.
    std::unique_ptr<webrtc::RtcEventLogFactoryInterface> event_logs;
    /// libwebrtc's own.
    std::unique_ptr<webrtc::CallFactoryInterface> calls;
};

/// libwebrtc's threads and its peer connection factory, without audio processing (APM).
///
/// Everything made from it holds a `std::shared_ptr` to it, so it outlives them in whichever order a caller
/// releases it. The last owner may release it on any thread, engine threads included.
class Engine {
public:
    static std::shared_ptr<Engine> Create(EngineOptions options);

    rtc::Thread* network() const { return network_.get(); }
    rtc::Thread* worker() const { return worker_.get(); }
    rtc::Thread* signaling() const { return signaling_.get(); }
    webrtc::PeerConnectionFactoryInterface* factory() const { return factory_.get(); }
    /// Lists the machine's networks for every peer connection of this engine.
    rtc::NetworkManager* network_manager() const { return network_manager_.get(); }
    rtc::SocketFactory* socket_factory() const;

    /// Runs `action` on the signalling thread, at once if that is the current one, and waits for it.
    template <typename Action>
    auto OnSignaling(Action&& action) const {
        // libwebrtc forbids its threads to wait for themselves.
        if (signaling_->IsCurrent()) return action();
        return signaling_->BlockingCall(std::forward<Action>(action));
    }

private:
    Engine() = default;
    ~Engine();
    void StartThreads(const std::string& prefix);
    void CreateFactory(EngineOptions options);

    std::unique_ptr<rtc::Thread> network_, worker_, signaling_;
    std::unique_ptr<rtc::NetworkManager> network_manager_;
    rtc::scoped_refptr<webrtc::AudioDeviceModule> audio_device_;
    rtc::scoped_refptr<webrtc::PeerConnectionFactoryInterface> factory_;
    LiveCount<SL_LIVE_ENGINE> count_;
};

}  // namespace sightline
#endif
