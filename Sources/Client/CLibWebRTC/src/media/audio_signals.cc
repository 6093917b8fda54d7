// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/audio_signals.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace sightline {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;

class Tone : public AudioSignal {
public:
    explicit Tone(double frequency_hz) : step_(kTurn * frequency_hz / kAudioRate) {}

    void Fill(AudioBlock& block) override {
        for (auto& sample : block) {
            sample = static_cast<float>(std::sin(phase_));
            phase_ = std::fmod(phase_ + step_, kTurn);
        }
    }

private:
    const double step_;
    double phase_ = 0;
};

class Loop : public AudioSignal {
public:
    explicit Loop(std::vector<float> samples) : samples_(std::move(samples)) {}

    void Fill(AudioBlock& block) override {
        if (samples_.empty()) return block.fill(0);
        for (auto& sample : block) {
            sample = samples_[position_];
            position_ = (position_ + 1) % samples_.size();
        }
    }

private:
    const std::vector<float> samples_;
    size_t position_ = 0;
};

/// A two-pole filter that rings at one frequency: one resonance of a vocal tract.
class Formant {
public:
    void Tune(double frequency_hz, double bandwidth_hz) {
        double radius = std::exp(-kTurn / 2 * bandwidth_hz / kAudioRate);
        a1_ = 2 * radius * std::cos(kTurn * frequency_hz / kAudioRate);
        a2_ = -radius * radius;
        gain_ = 1 - radius;
    }

    double Filter(double input) {
        double output = gain_ * input + a1_ * y1_ + a2_ * y2_;
        y2_ = std::exchange(y1_, output);
        return output;
    }

private:
    double a1_ = 0, a2_ = 0, gain_ = 0, y1_ = 0, y2_ = 0;
};

class Speech : public AudioSignal {
public:
    explicit Speech(uint64_t seed) : random_(seed) { BeginPhrase(); }

    void Fill(AudioBlock& block) override {
        for (auto& sample : block) sample = Next();
    }

private:
    static constexpr double kVowels[][3] = {
        {730, 1090, 2440}, {530, 1840, 2480}, {270, 2290, 3010}, {570, 840, 2410}, {300, 870, 2240}};
    static constexpr double kBandwidths[] = {90, 110, 170};
    static constexpr double kPulseGain = 60, kHissGain = 4;

    double Between(double low, double high) {
        return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1.0p-53;
    }
    static int Samples(double ms) { return static_cast<int>(ms * kAudioRate / 1000); }

    void BeginPhrase() {
        syllables_left_ = static_cast<int>(Between(3, 10));
        pitch_hz_ = Between(105, 190);
        BeginSyllable();
    }

    void BeginSyllable() {
        length_ = Samples(Between(120, 320));
        position_ = 0;
        voiced_ = Between(0, 1) < 0.8;
        pitch_hz_ *= Between(0.94, 1.04);
        strength_ = Between(0.6, 1);
        const auto& vowel = kVowels[static_cast<size_t>(Between(0, std::size(kVowels)))];
        for (size_t i = 0; i < std::size(formants_); i++) {
            formants_[i].Tune(
                voiced_ ? vowel[i] : 2500 + 1200.0 * static_cast<double>(i),
                kBandwidths[i] * (voiced_ ? 1 : 5));
        }
    }

    float Next() {
        if (pause_left_ > 0) {
            if (--pause_left_ == 0) BeginPhrase();
            return 0;
        }
        if (position_ == length_) EndSyllable();
        if (pause_left_ > 0) return 0;
        // Up fast, down slowly, and nothing at both ends.
        double part = static_cast<double>(position_++) / length_;
        double envelope = std::sin(kTurn / 2 * std::sqrt(part));
        double excitation = Excite(), sound = 0;
        for (auto& formant : formants_) sound += formant.Filter(excitation);
        return static_cast<float>(std::tanh(sound * envelope * strength_));
    }

    void EndSyllable() {
        if (--syllables_left_ > 0) return BeginSyllable();
        pause_left_ = Samples(Between(300, 1200));
    }

    /// Pulses at the pitch for a vowel, noise for a hiss.
    double Excite() {
        double noise = Between(-1, 1);
        if (!voiced_) return noise * kHissGain;
        phase_ += pitch_hz_ / kAudioRate;
        if (phase_ < 1) return noise * 0.3;
        phase_ -= 1;
        return kPulseGain;
    }

    std::mt19937_64 random_;
    Formant formants_[3];
    int syllables_left_ = 0, length_ = 1, position_ = 0, pause_left_ = 0;
    bool voiced_ = true;
    double pitch_hz_ = 120, strength_ = 1, phase_ = 0;
};

}  // namespace

std::unique_ptr<AudioSignal> CreateTone(double frequency_hz) {
    return std::make_unique<Tone>(std::isfinite(frequency_hz) ? std::clamp(frequency_hz, 0.0, 20'000.0) : 0);
}

std::unique_ptr<AudioSignal> CreateSpeech(uint64_t seed) {
    return std::make_unique<Speech>(seed);
}

std::unique_ptr<AudioSignal> CreateLoop(std::vector<float> samples) {
    return std::make_unique<Loop>(std::move(samples));
}

}  // namespace sightline
