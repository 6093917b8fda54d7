// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/audio_codecs.h"

#include "api/audio_codecs/audio_decoder_factory_template.h"
#include "api/audio_codecs/audio_encoder_factory_template.h"
#include "api/audio_codecs/g711/audio_decoder_g711.h"
#include "api/audio_codecs/g711/audio_encoder_g711.h"
#include "api/audio_codecs/opus/audio_decoder_opus.h"
#include "api/audio_codecs/opus/audio_encoder_opus.h"

namespace sightline {

rtc::scoped_refptr<webrtc::AudioEncoderFactory> CreateAudioEncoders() {
    return webrtc::CreateAudioEncoderFactory<webrtc::AudioEncoderOpus, webrtc::AudioEncoderG711>();
}

rtc::scoped_refptr<webrtc::AudioDecoderFactory> CreateAudioDecoders() {
    return webrtc::CreateAudioDecoderFactory<webrtc::AudioDecoderOpus, webrtc::AudioDecoderG711>();
}

}  // namespace sightline
