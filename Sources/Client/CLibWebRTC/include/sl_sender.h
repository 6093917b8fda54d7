// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a peer connection sends, and what it asks for.
#ifndef SL_SENDER_H
#define SL_SENDER_H

#include "sl_media.h"
#include "sl_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One sent track; owned by the caller until `sl_sender_destroy`, which does not end the sending. Outlives
/// its peer connection safely; its functions then fail or do nothing.
typedef struct sl_sender sl_sender;

/// RTCRtpEncodingParameters: one layer of a simulcast, or the one stream there is.
typedef struct sl_encoding {
    /// Name of the simulcast layer; null or empty without simulcast. Cannot be changed later.
    const char *rid;
    bool active;
    /// In bits per second; 0 for no bound.
    int32_t max_bitrate_bps;
    int32_t min_bitrate_bps;
    /// 0 for no bound.
    double max_framerate;
    /// At least 1; less means 1.
    double scale_resolution_down_by;
    /// Such as "L1T3" or "L3T3_KEY"; null or empty for the codec's default.
    const char *scalability_mode;
} sl_encoding;

/// What gives way when the sender cannot keep up. Unknown values count as balanced.
enum {
    SL_DEGRADATION_DISABLED = 0,
    SL_DEGRADATION_MAINTAIN_FRAMERATE = 1,
    SL_DEGRADATION_MAINTAIN_RESOLUTION = 2,
    SL_DEGRADATION_BALANCED = 3,
};

/// How a track is sent.
typedef struct sl_sender_config {
    /// Id of the track (media-source `trackIdentifier`) and of its stream; null for one of the engine's
    /// choosing.
    const char *track_id;
    const char *stream_id;
    /// Also receives on the same media section.
    bool receives;
    /// The only codec offered beside retransmission ("VP8", "VP9", "H264", "opus"); null for all.
    const char *codec;
    /// Simulcast layers in ascending order of size, or one encoding, or none for the default.
    const sl_encoding *encodings;
    size_t encoding_count;
} sl_sender_config;

/// Adds a transceiver that sends `source` (null: nothing yet). Null on failure, with `error` (may be null)
/// filled in.
sl_sender *sl_peer_add_video(
    sl_peer *peer, sl_video_source *source, const sl_sender_config *config, sl_error *error);
sl_sender *sl_peer_add_audio(
    sl_peer *peer, sl_audio_source *source, const sl_sender_config *config, sl_error *error);
/// Adds a transceiver that only receives `SL_MEDIA_*`, in `codec` if not null.
bool sl_peer_add_receiver(sl_peer *peer, int32_t kind, const char *codec, sl_error *error);

void sl_sender_destroy(sl_sender *sender);
/// replaceTrack: another source in place, or null for none. Audio and video cannot be exchanged.
bool sl_sender_replace_video(sl_sender *sender, sl_video_source *source, sl_error *error);
bool sl_sender_replace_audio(sl_sender *sender, sl_audio_source *source, sl_error *error);
/// A disabled track sends black or silence (mute).
void sl_sender_set_enabled(sl_sender *sender, bool enabled);
/// Changes one encoding; its `rid` is ignored.
bool sl_sender_set_encoding(sl_sender *sender, size_t index, const sl_encoding *encoding, sl_error *error);
bool sl_sender_set_degradation(sl_sender *sender, int32_t preference, sl_error *error);
/// How many encodings there are.
size_t sl_sender_encoding_count(sl_sender *sender);
/// Stops the transceiver; takes effect with the next negotiation.
bool sl_sender_stop(sl_sender *sender, sl_error *error);
/// Copies the media section's mid into `buffer`, terminated and cut to `capacity`; returns its full length, 0
/// before it has one.
size_t sl_sender_mid(sl_sender *sender, char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
