// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include <algorithm>

#include "abi/abi.h"
#include "media/audio_signals.h"
#include "media/frame_number.h"
#include "rtc_base/ref_counted_object.h"
#include "rtc_base/time_utils.h"
#include "media/slow_encoder.h"
#include "media/test_card.h"
#include "media/wav_file.h"
#include "media/y4m_file.h"

using namespace sightline;

namespace {

constexpr int32_t kMinimumSize = 16, kMaximumSize = 4096;

webrtc::RTCError FileError(const char* path, const webrtc::RTCError& cause) {
    return webrtc::RTCError(cause.type(), std::string(path) + ": " + cause.message());
}

/// File errors of the machine are `SL_IO`, whatever libwebrtc's error types can say.
void FillFileError(sl_error* error, const char* path, const webrtc::RTCError& cause) {
    FillError(error, FileError(path, cause));
    if (error && cause.type() == webrtc::RTCErrorType::INTERNAL_ERROR) error->status = SL_IO;
}

std::unique_ptr<AudioSignal> MakeSignal(const sl_audio_signal* signal) {
    switch (signal ? signal->kind : SL_AUDIO_SILENCE) {
    case SL_AUDIO_TONE: return CreateTone(signal->frequency_hz);
    case SL_AUDIO_SPEECH: return CreateSpeech(signal->seed);
    default: return nullptr;
    }
}

sl_audio_source* MakeAudioSource(std::unique_ptr<AudioSignal> signal, double level) {
    return new sl_audio_source{
        rtc::scoped_refptr<AudioSource>(new rtc::RefCountedObject<AudioSource>(std::move(signal), level))};
}

}  // namespace

sl_video_source* sl_test_card_create(const sl_test_card* card, sl_error* error) {
    FillError(error, SL_OK, "");
    auto fits = [](int32_t size) { return size >= kMinimumSize && size <= kMaximumSize; };
    if (!card || !fits(card->width) || !fits(card->height)) {
        FillError(error, SL_INVALID_ARGUMENT, "the size of a test card is 16 to 4096 pixels");
        return nullptr;
    }
    auto source = std::make_unique<VideoSource>(
        CreateTestCard(card->width, card->height), card->fps, card->is_screen);
    return new sl_video_source{std::move(source), card->width, card->height};
}

sl_video_source* sl_video_file_create(const char* path, sl_error* error) {
    FillError(error, SL_OK, "");
    auto opened = OpenY4mFile(TextOr(path, ""));
    if (!opened.ok()) {
        FillFileError(error, path ? path : "(no path)", opened.error());
        return nullptr;
    }
    auto file = opened.MoveValue();
    auto source = std::make_unique<VideoSource>(std::move(file.painter), file.fps, false);
    return new sl_video_source{std::move(source), file.width, file.height};
}

void sl_video_source_destroy(sl_video_source* source) {
    if (source) RunOffEngine([source] { delete source; });
}

void sl_video_source_set_rate(sl_video_source* source, double fps) {
    if (source) source->source->SetRate(fps);
}

void sl_video_source_set_still(sl_video_source* source, bool still) {
    if (source) source->source->SetStill(still);
}

void sl_video_source_set_enabled(sl_video_source* source, bool enabled) {
    if (source) source->source->SetEnabled(enabled);
}

void sl_video_source_set_encode_delay(sl_video_source* source, int32_t delay_ms) {
    if (!source) return;
    source->source->SetEncodeDelay(
        static_cast<uint16_t>(std::clamp<int32_t>(delay_ms, 0, kMaximumEncodeDelayMs)));
}

uint64_t sl_video_source_frames(const sl_video_source* source) {
    return source ? source->source->frames() : 0;
}

void sl_video_source_size(const sl_video_source* source, int32_t* width, int32_t* height) {
    if (!source) return;
    if (width) *width = source->width;
    if (height) *height = source->height;
}

sl_audio_source* sl_audio_signal_create(const sl_audio_signal* signal, double level) {
    return MakeAudioSource(MakeSignal(signal), level);
}

sl_audio_source* sl_audio_file_create(const char* path, double level, sl_error* error) {
    FillError(error, SL_OK, "");
    auto samples = ReadWavFile(TextOr(path, ""));
    if (samples.ok()) return MakeAudioSource(CreateLoop(samples.MoveValue()), level);
    FillFileError(error, path ? path : "(no path)", samples.error());
    return nullptr;
}

void sl_audio_source_destroy(sl_audio_source* source) {
    if (!source) return;
    RunOffEngine([source] {
        source->source->Stop();
        delete source;
    });
}

void sl_audio_source_set_signal(sl_audio_source* source, const sl_audio_signal* signal) {
    if (source) source->source->SetSignal(MakeSignal(signal));
}

void sl_audio_source_set_level(sl_audio_source* source, double level) {
    if (source) source->source->SetGain(level);
}

void sl_audio_signal_render(const sl_audio_signal* signal, float* samples, size_t count) {
    if (!samples) return;
    auto made = MakeSignal(signal);
    AudioBlock block{};
    for (size_t at = 0; at + block.size() <= count; at += block.size()) {
        if (made) made->Fill(block);
        std::copy(block.begin(), block.end(), samples + at);
    }
}

int64_t sl_wav_read(const char* path, float* samples, size_t capacity, sl_error* error) {
    FillError(error, SL_OK, "");
    auto read = ReadWavFile(TextOr(path, ""));
    if (!read.ok()) {
        FillFileError(error, path ? path : "(no path)", read.error());
        return -1;
    }
    const auto& all = read.value();
    if (samples) std::copy_n(all.begin(), std::min(capacity, all.size()), samples);
    return static_cast<int64_t>(all.size());
}

void sl_frame_number_write(uint8_t* luma, int32_t stride, int32_t width, int32_t height, uint32_t number) {
    if (luma && width > 0 && height > 0 && stride >= width)
        WriteFrameNumber({luma, stride, width, height}, number);
}

int64_t sl_frame_number_read(const uint8_t* luma, int32_t stride, int32_t width, int32_t height) {
    if (!luma || width <= 0 || height <= 0 || stride < width) return -1;
    auto number = ReadFrameNumber({luma, stride, width, height});
    return number ? static_cast<int64_t>(*number) : -1;
}

int64_t sl_monotonic_us(void) {
    return rtc::TimeMicros();
}
