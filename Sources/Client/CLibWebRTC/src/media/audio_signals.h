// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_AUDIO_SIGNALS_H
#define SIGHTLINE_AUDIO_SIGNALS_H

#include <memory>
#include <vector>

#include "media/audio_source.h"

namespace sightline {

/// A sine wave of amplitude 1.
std::unique_ptr<AudioSignal> CreateTone(double frequency_hz);

/// Something with the rhythm and spectrum of a voice: voiced and hissing syllables of 120 to 320 ms shaped by
/// three formants, in phrases of 3 to 9 syllables with pauses of 300 to 1200 ms between them. Peaks near 1.
/// The same seed gives the same samples.
std::unique_ptr<AudioSignal> CreateSpeech(uint64_t seed);

/// Repeats `samples` (48 kHz mono) for ever.
std::unique_ptr<AudioSignal> CreateLoop(std::vector<float> samples);

}  // namespace sightline
#endif
