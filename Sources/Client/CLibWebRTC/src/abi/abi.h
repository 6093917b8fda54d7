// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the C functions share: errors, handles.
#ifndef SIGHTLINE_ABI_H
#define SIGHTLINE_ABI_H

#include "peer/engine_prelude.h"

#include <memory>
#include <string>

#include "../include/sl_data_channel.h"
#include "../include/sl_media.h"
#include "../include/sl_peer.h"
#include "media/audio_source.h"
#include "abi/completion.h"
#include "emulation/conditioner.h"
#include "peer/engine.h"
#include "peer/peer.h"
#include "media/video_source.h"

struct sl_engine {
    std::shared_ptr<sightline::Engine> engine;
};

struct sl_conditioner {
    std::shared_ptr<sightline::Conditioner> conditioner;
};

struct sl_peer {
    std::unique_ptr<sightline::Peer> peer;
};

struct sl_video_source {
    std::unique_ptr<sightline::VideoSource> source;
    int32_t width, height;
};

struct sl_audio_source {
    rtc::scoped_refptr<sightline::AudioSource> source;
};

namespace sightline {

/// Fills `error` (may be null); the message is cut to its room.
void FillError(sl_error* error, sl_status status, const std::string& message);
void FillError(sl_error* error, const webrtc::RTCError& cause);
/// Fills `error` unless `cause` is none; returns whether it is none.
bool Report(sl_error* error, const webrtc::RTCError& cause);
sl_error MakeError(const webrtc::RTCError& cause);

/// A completion that calls a C function.
Completion<Done> MakeCompletion(void* context, sl_done_fn done);

inline std::string TextOr(const char* text, const char* fallback) {
    return text ? text : fallback;
}

/// Handles made on the engine's side, which their receivers own.
sl_remote_track* MakeRemoteTrack(
    std::shared_ptr<Engine> engine, rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver);
sl_data_channel* MakeDataChannel(
    std::shared_ptr<Engine> engine, rtc::scoped_refptr<webrtc::DataChannelInterface> channel);

}  // namespace sightline
#endif
