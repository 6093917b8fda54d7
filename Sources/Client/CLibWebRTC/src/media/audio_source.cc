// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/audio_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rtc_base/time_utils.h"

namespace sightline {
namespace {

constexpr int64_t kPeriodUs = 10'000;

float ValidGain(double gain) {
    return std::isfinite(gain) ? static_cast<float>(std::clamp(gain, 0.0, 1.0)) : 0;
}

}  // namespace

AudioSource::AudioSource(std::unique_ptr<AudioSignal> signal, double gain)
    : signal_(std::move(signal)), gain_(ValidGain(gain)) {
    ticket_ = Pacer::Start([this](int64_t due_us) {
        OnTick();
        return due_us + kPeriodUs;
    });
}

AudioSource::~AudioSource() {
    Stop();
}

void AudioSource::SetSignal(std::unique_ptr<AudioSignal> signal) {
    std::lock_guard lock(mutex_);
    signal_ = std::move(signal);
}

void AudioSource::SetGain(double gain) {
    std::lock_guard lock(mutex_);
    gain_ = ValidGain(gain);
}

void AudioSource::AddSink(webrtc::AudioTrackSinkInterface* sink) {
    std::lock_guard lock(mutex_);
    sinks_.push_back(sink);
}

void AudioSource::RemoveSink(webrtc::AudioTrackSinkInterface* sink) {
    std::lock_guard lock(mutex_);
    std::erase(sinks_, sink);
}

void AudioSource::OnTick() {
    std::lock_guard lock(mutex_);
    AudioBlock block{};
    if (signal_) signal_->Fill(block);
    std::array<int16_t, kAudioBlock> samples;
    std::transform(block.begin(), block.end(), samples.begin(), [this](float value) {
        return static_cast<int16_t>(std::lround(std::clamp(value * gain_, -1.0f, 1.0f) * 32767));
    });
    // Under the lock: a sink that has been removed must not be called any more. Sinks only queue the samples.
    for (auto* sink : sinks_) {
        sink->OnData(
            samples.data(), 16, kAudioRate, 1, kAudioBlock, absl::optional<int64_t>(rtc::TimeMillis()));
    }
}

}  // namespace sightline
