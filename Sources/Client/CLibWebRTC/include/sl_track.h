// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Received tracks.
#ifndef SL_TRACK_H
#define SL_TRACK_H

#include "sl_media.h"
#include "sl_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Frees the handle and ends its frames; the track itself continues with its peer connection.
void sl_remote_track_destroy(sl_remote_track *track);
/// `SL_MEDIA_AUDIO` or `SL_MEDIA_VIDEO`.
int32_t sl_remote_track_kind(const sl_remote_track *track);
/// Valid as long as the handle. These two and the kind may be read in the callback that gave the track.
const char *sl_remote_track_id(const sl_remote_track *track);
const char *sl_remote_track_mid(const sl_remote_track *track);
/// A disabled track delivers black frames, or plays silence; it is received all the same.
void sl_remote_track_set_enabled(sl_remote_track *track, bool enabled);
/// Delivers the decoded frames of a video track to `on_frame` until another call replaces it, null ends it,
/// or the track handle is destroyed. `release` runs once no more frames come. On an audio track, only
/// `release` runs. Waits for a frame that is being delivered, so `on_frame` must not wait for the caller.
void sl_remote_track_set_sink(
    sl_remote_track *track, void *context, sl_frame_fn on_frame, sl_release_fn release);
/// Delivers the audio of an audio track as it is played out, concealment and silence included, to `on_audio`
/// in the same way. On a video track, only `release` runs.
void sl_remote_track_set_audio_sink(
    sl_remote_track *track, void *context, sl_audio_fn on_audio, sl_release_fn release);

#ifdef __cplusplus
}
#endif
#endif
