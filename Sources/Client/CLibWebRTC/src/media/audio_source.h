// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_AUDIO_SOURCE_H
#define SIGHTLINE_AUDIO_SOURCE_H

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "api/media_stream_interface.h"
#include "api/notifier.h"
#include "abi/live_count.h"
#include "emulation/pacer.h"

namespace sightline {

/// 10 ms of 48 kHz mono.
inline constexpr int kAudioRate = 48000;
inline constexpr size_t kAudioBlock = kAudioRate / 100;
using AudioBlock = std::array<float, kAudioBlock>;

/// Makes audio, with a full scale of 1. Used by one thread at a time.
class AudioSignal {
public:
    virtual ~AudioSignal() = default;
    virtual void Fill(AudioBlock& block) = 0;
};

/// Test audio, handed to every track made from it each 10 ms. Settable from any thread.
///
/// It bypasses the audio device, so each track of an engine can have its own audio, and its level arrives
/// unchanged.
class AudioSource : public webrtc::Notifier<webrtc::AudioSourceInterface> {
public:
    AudioSource(std::unique_ptr<AudioSignal> signal, double gain);
    ~AudioSource() override;

    void SetSignal(std::unique_ptr<AudioSignal> signal);
    /// Multiplies the signal; 0 ... 1.
    void SetGain(double gain);
    /// Ends the audio for good; tracks that still use the source then send silence or nothing.
    void Stop() { ticket_.reset(); }

    SourceState state() const override { return kLive; }
    bool remote() const override { return false; }
    const cricket::AudioOptions options() const override { return {}; }
    void AddSink(webrtc::AudioTrackSinkInterface* sink) override;
    void RemoveSink(webrtc::AudioTrackSinkInterface* sink) override;

private:
    void OnTick();

    std::mutex mutex_;
    std::unique_ptr<AudioSignal> signal_;
    float gain_;
    std::vector<webrtc::AudioTrackSinkInterface*> sinks_;
    LiveCount<SL_LIVE_AUDIO_SOURCE> count_;
    std::unique_ptr<Pacer::Ticket> ticket_;
};

}  // namespace sightline
#endif
