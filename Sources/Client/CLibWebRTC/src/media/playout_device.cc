// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/playout_device.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "modules/audio_device/include/audio_device_default.h"
#include "rtc_base/ref_counted_object.h"

namespace sightline {
namespace {

using Clock = std::chrono::steady_clock;

class PlayoutDevice : public webrtc::webrtc_impl::AudioDeviceModuleDefault<webrtc::AudioDeviceModule> {
public:
    ~PlayoutDevice() override { StopThread(); }

    int32_t RegisterAudioCallback(webrtc::AudioTransport* transport) override {
        std::lock_guard lock(transport_mutex_);
        transport_ = transport;
        return 0;
    }
    int32_t Terminate() override {
        StopThread();
        return 0;
    }
    int16_t PlayoutDevices() override { return 1; }
    int16_t RecordingDevices() override { return 1; }
    int32_t PlayoutIsAvailable(bool* available) override {
        *available = true;
        return 0;
    }
    int32_t RecordingIsAvailable(bool* available) override {
        *available = true;
        return 0;
    }
    int32_t StartPlayout() override {
        StartThread();
        return 0;
    }
    int32_t StopPlayout() override {
        StopThread();
        return 0;
    }
    bool Playing() const override { return playing_; }
    int32_t StartRecording() override {
        recording_ = true;
        return 0;
    }
    int32_t StopRecording() override {
        recording_ = false;
        return 0;
    }
    bool Recording() const override { return recording_; }

private:
    static constexpr int kSampleRate = 48000;
    static constexpr size_t kSamples = kSampleRate / 100;
    static constexpr auto kPeriod = std::chrono::milliseconds(10);
    /// A stall beyond this is not caught up: a burst of playout would only flush jitter buffers.
    static constexpr auto kMaximumLag = std::chrono::milliseconds(200);

    void StartThread() {
        std::lock_guard lock(thread_mutex_);
        if (playing_.exchange(true)) return;
        thread_ = std::thread([this] { Run(); });
    }

    void StopThread() {
        std::lock_guard lock(thread_mutex_);
        playing_ = false;
        if (thread_.joinable()) thread_.join();
    }

    void Run() {
        pthread_setname_np(pthread_self(), "sl-playout");
        auto next = Clock::now();
        while (playing_) {
            PlayOut();
            next = std::max(next + kPeriod, Clock::now() - kMaximumLag);
            std::this_thread::sleep_until(next);
        }
    }

    void PlayOut() {
        std::lock_guard lock(transport_mutex_);
        if (!transport_) return;
        std::array<int16_t, kSamples> samples;
        size_t samples_out = 0;
        int64_t elapsed_ms = 0, ntp_ms = 0;
        transport_->NeedMorePlayData(
            kSamples, sizeof(int16_t), 1, kSampleRate, samples.data(), samples_out, &elapsed_ms, &ntp_ms);
    }

    std::mutex transport_mutex_, thread_mutex_;
    webrtc::AudioTransport* transport_ = nullptr;
    std::atomic<bool> playing_{false}, recording_{false};
    std::thread thread_;
};

}  // namespace

rtc::scoped_refptr<webrtc::AudioDeviceModule> CreatePlayoutDevice() {
    return rtc::scoped_refptr<webrtc::AudioDeviceModule>(new rtc::RefCountedObject<PlayoutDevice>());
}

}  // namespace sightline
