// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_AUDIO_CODECS_H
#define SIGHTLINE_AUDIO_CODECS_H

#include "api/audio_codecs/audio_decoder_factory.h"
#include "api/audio_codecs/audio_encoder_factory.h"

namespace sightline {

/// Opus and G.711, in this order of preference.
rtc::scoped_refptr<webrtc::AudioEncoderFactory> CreateAudioEncoders();
rtc::scoped_refptr<webrtc::AudioDecoderFactory> CreateAudioDecoders();

}  // namespace sightline
#endif
