// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "peer/engine.h"

#include <mutex>
#include <thread>
#include <utility>

#include "api/call/call_factory_interface.h"
#include "api/task_queue/default_task_queue_factory.h"
#include "api/video_codecs/builtin_video_decoder_factory.h"
#include "api/video_codecs/builtin_video_encoder_factory.h"
#include "media/audio_codecs.h"
#include "media/engine/webrtc_media_engine.h"
#include "media/playout_device.h"
#include "rtc_base/logging.h"
#include "rtc_base/ssl_adapter.h"
#include "media/slow_encoder.h"
#include "system_wrappers/include/field_trial.h"

namespace sightline {

void InitializeProcess(const std::string& field_trials) {
    static std::once_flag once;
    std::call_once(once, [&] {
        // Before the trials: setting them would otherwise print a line.
        rtc::LogMessage::LogToDebug(rtc::LS_NONE);
        rtc::LogMessage::SetLogToStderr(false);
        // Never freed: libwebrtc keeps the pointer, and threads may read it while the process ends.
        static const auto* kept = new std::string(field_trials);
        webrtc::field_trial::InitFieldTrialsFromString(kept->c_str());
        rtc::InitializeSSL();
    });
}

void RunOffEngine(std::function<void()> work) {
    // A libwebrtc thread is also its own current task queue.
    if (webrtc::TaskQueueBase::Current() == nullptr) return work();
    std::thread(std::move(work)).detach();
}

std::shared_ptr<Engine> Engine::Create(EngineOptions options) {
    InitializeProcess("");
    std::shared_ptr<Engine> engine(new Engine, [](Engine* last) { RunOffEngine([last] { delete last; }); });
    engine->StartThreads(options.thread_prefix);
    engine->CreateFactory(std::move(options));
    return engine->factory_ ? engine : nullptr;
}

void Engine::StartThreads(const std::string& prefix) {
    network_ = rtc::Thread::CreateWithSocketServer();
    worker_ = rtc::Thread::Create();
    signaling_ = rtc::Thread::Create();
    network_->SetName(prefix + "net", nullptr);
    worker_->SetName(prefix + "work", nullptr);
    signaling_->SetName(prefix + "sig", nullptr);
    for (auto* thread : {network_.get(), worker_.get(), signaling_.get()}) thread->Start();
    network_manager_ = network_->BlockingCall([this] {
        return std::unique_ptr<rtc::NetworkManager>(new rtc::BasicNetworkManager(network_->socketserver()));
    });
}

void Engine::CreateFactory(EngineOptions options) {
    webrtc::PeerConnectionFactoryDependencies factory;
    factory.network_thread = network_.get();
    factory.worker_thread = worker_.get();
    factory.signaling_thread = signaling_.get();
    factory.task_queue_factory = options.task_queues ? std::move(options.task_queues)
                                                     : webrtc::CreateDefaultTaskQueueFactory();
    factory.call_factory = options.calls ? std::move(options.calls) : webrtc::CreateCallFactory();
    factory.network_controller_factory = std::move(options.congestion_control);
    factory.event_log_factory = std::move(options.event_logs);

    cricket::MediaEngineDependencies media;
    media.task_queue_factory = factory.task_queue_factory.get();
    audio_device_ = options.audio_device ? options.audio_device : CreatePlayoutDevice();
    media.adm = audio_device_;
    media.audio_encoder_factory = options.audio_encoders ? options.audio_encoders : CreateAudioEncoders();
    media.audio_decoder_factory = options.audio_decoders ? options.audio_decoders : CreateAudioDecoders();
    media.video_encoder_factory = options.video_encoders ? std::move(options.video_encoders)
                                                         : CreateSlowableEncoderFactory(
                                                               webrtc::CreateBuiltinVideoEncoderFactory());
    media.video_decoder_factory = options.video_decoders ? std::move(options.video_decoders)
                                                         : webrtc::CreateBuiltinVideoDecoderFactory();
    factory.media_engine = cricket::CreateMediaEngine(std::move(media));
    factory_ = webrtc::CreateModularPeerConnectionFactory(std::move(factory));
}

rtc::SocketFactory* Engine::socket_factory() const {
    return network_->socketserver();
}

Engine::~Engine() {
    factory_ = nullptr;
    worker_->BlockingCall([this] { audio_device_ = nullptr; });
    network_->BlockingCall([this] { network_manager_.reset(); });
    signaling_->Stop();
    worker_->Stop();
    network_->Stop();
}

}  // namespace sightline
