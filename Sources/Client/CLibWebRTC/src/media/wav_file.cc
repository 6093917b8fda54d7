// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/wav_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "media/audio_source.h"

namespace sightline {
namespace {

using Bytes = std::span<const uint8_t>;
using webrtc::RTCError;
using webrtc::RTCErrorType;

constexpr int kMinimumRate = 8000;
constexpr size_t kMaximumSeconds = 600;
constexpr uintmax_t kMaximumFileSize = kMaximumSeconds * kAudioRate * 4 + 65'536;
constexpr uint16_t kPcm = 1, kExtensible = 0xFFFE;

uint16_t U16(Bytes bytes, size_t at) {
    return static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8);
}

uint32_t U32(Bytes bytes, size_t at) {
    return U16(bytes, at) | static_cast<uint32_t>(U16(bytes, at + 2)) << 16;
}

bool IsTag(Bytes bytes, size_t at, const char* tag) {
    return std::memcmp(bytes.data() + at, tag, 4) == 0;
}

struct Format {
    int channels, rate;
};

struct Chunks {
    std::optional<Bytes> format, data;
};

/// Chunks of a size that the file does not hold end at its end: recorders that were killed leave such files.
Chunks FindChunks(Bytes file) {
    Chunks found;
    for (size_t at = 12; at + 8 <= file.size();) {
        size_t size = std::min<size_t>(U32(file, at + 4), file.size() - at - 8);
        auto body = file.subspan(at + 8, size);
        if (IsTag(file, at, "fmt ") && !found.format) found.format = body;
        if (IsTag(file, at, "data") && !found.data) found.data = body;
        at += 8 + size + size % 2;
    }
    return found;
}

webrtc::RTCErrorOr<Format> ReadFormat(Bytes chunk) {
    if (chunk.size() < 16) return RTCError(RTCErrorType::SYNTAX_ERROR, "the format chunk is too short");
    uint16_t encoding = U16(chunk, 0);
    if (encoding == kExtensible && chunk.size() >= 26) encoding = U16(chunk, 24);
    if (encoding != kPcm || U16(chunk, 14) != 16) {
        return RTCError(RTCErrorType::UNSUPPORTED_PARAMETER, "only 16-bit PCM is supported");
    }
    Format format{U16(chunk, 2), static_cast<int>(std::min<uint32_t>(U32(chunk, 4), INT32_MAX))};
    if (format.channels < 1 || format.channels > 2) {
        return RTCError(RTCErrorType::UNSUPPORTED_PARAMETER, "only mono and stereo are supported");
    }
    if (format.rate < kMinimumRate || format.rate > kAudioRate) {
        return RTCError(
            RTCErrorType::UNSUPPORTED_PARAMETER, "only sample rates of 8 to 48 kHz are supported");
    }
    return format;
}

std::vector<float> MixDown(Bytes data, int channels) {
    std::vector<float> samples(data.size() / 2 / channels);
    for (size_t i = 0; i < samples.size(); i++) {
        float sum = 0;
        for (int channel = 0; channel < channels; channel++) {
            sum += static_cast<float>(static_cast<int16_t>(U16(data, (i * channels + channel) * 2)));
        }
        samples[i] = sum / static_cast<float>(channels) / 32768;
    }
    return samples;
}

/// Band-limited interpolation (a windowed sinc over 16 neighbours); the rate only ever goes up.
std::vector<float> Resample(const std::vector<float>& input, int rate) {
    constexpr int kReach = 8;
    constexpr double kPi = 3.14159265358979323846;
    if (rate == kAudioRate) return input;
    std::vector<float> output(input.size() * kAudioRate / rate);
    for (size_t i = 0; i < output.size(); i++) {
        double position = static_cast<double>(i) * rate / kAudioRate, sum = 0;
        auto centre = static_cast<int64_t>(position);
        for (int64_t k = centre - kReach + 1; k <= centre + kReach; k++) {
            if (k < 0 || k >= static_cast<int64_t>(input.size())) continue;
            double distance = position - static_cast<double>(k), x = kPi * distance;
            double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
            sum += input[static_cast<size_t>(k)] * sinc * (0.5 + 0.5 * std::cos(x / kReach));
        }
        output[i] = static_cast<float>(sum);
    }
    return output;
}

webrtc::RTCErrorOr<std::vector<uint8_t>> ReadFile(const std::string& path) {
    std::error_code failure;
    // Anything but a file (a pipe, say) could keep us waiting for ever.
    if (!std::filesystem::is_regular_file(path, failure)) {
        return RTCError(RTCErrorType::INTERNAL_ERROR, "it cannot be read");
    }
    auto size = std::filesystem::file_size(path, failure);
    if (failure) return RTCError(RTCErrorType::INTERNAL_ERROR, failure.message());
    if (size > kMaximumFileSize)
        return RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "it is longer than ten minutes");
    std::vector<uint8_t> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
        return RTCError(RTCErrorType::INTERNAL_ERROR, "it cannot be read");
    }
    return bytes;
}

}  // namespace

webrtc::RTCErrorOr<std::vector<float>> ReadWavFile(const std::string& path) {
    auto read = ReadFile(path);
    if (!read.ok()) return read.MoveError();
    auto bytes = read.MoveValue();
    Bytes file(bytes);
    if (file.size() < 12 || !IsTag(file, 0, "RIFF") || !IsTag(file, 8, "WAVE")) {
        return RTCError(RTCErrorType::SYNTAX_ERROR, "it is not a WAVE file");
    }
    auto chunks = FindChunks(file);
    if (!chunks.format) return RTCError(RTCErrorType::SYNTAX_ERROR, "it has no format chunk");
    auto format = ReadFormat(*chunks.format);
    if (!format.ok()) return format.MoveError();
    if (!chunks.data || chunks.data->size() < 2u * format.value().channels) {
        return RTCError(RTCErrorType::SYNTAX_ERROR, "it has no samples");
    }
    auto samples = MixDown(*chunks.data, format.value().channels);
    if (samples.size() > kMaximumSeconds * format.value().rate) {
        return RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "it is longer than ten minutes");
    }
    return Resample(samples, format.value().rate);
}

}  // namespace sightline
