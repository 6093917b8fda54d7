// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Peer connections: descriptions, candidates, events, statistics.
#ifndef SL_PEER_H
#define SL_PEER_H

#include "sl_base.h"
#include "sl_conditioner.h"
#include "sl_engine.h"
#include "sl_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Owned by the caller until `sl_peer_destroy`.
typedef struct sl_peer sl_peer;
/// A received track; owned by whoever got it until `sl_remote_track_destroy` (see `sl_track.h`).
typedef struct sl_remote_track sl_remote_track;
/// A data channel; owned by whoever got it until `sl_data_channel_destroy` (see `sl_data_channel.h`).
typedef struct sl_data_channel sl_data_channel;

typedef struct sl_ice_server {
    /// "stun:host:port", "turn:host:port?transport=udp", ...
    const char *const *urls;
    size_t url_count;
    /// May be null.
    const char *username;
    const char *password;
} sl_ice_server;

/// Which candidates may be used. Unknown values count as all.
enum {
    SL_TRANSPORT_ALL = 0,
    SL_TRANSPORT_RELAY = 1,
};

typedef struct sl_peer_config {
    const sl_ice_server *ice_servers;
    size_t ice_server_count;
    int32_t transport_policy;
    /// Gathers candidates on the loopback interface only.
    bool loopback_only;
    /// Sends Opus with discontinuous transmission: next to nothing in pauses.
    bool opus_dtx;
    /// Sends Opus at one rate, whatever there is to be heard.
    bool opus_cbr;
    /// Lets `sl_peer_saturate` be used. Video whose estimate falls below its minimum bitrate is then
    /// suspended.
    bool can_saturate;
    /// The emulated network; null for none.
    const sl_conditioner *conditioner;
} sl_peer_config;

/// RTCSignalingState.
enum {
    SL_SIGNALING_STABLE = 0,
    SL_SIGNALING_HAVE_LOCAL_OFFER = 1,
    SL_SIGNALING_HAVE_LOCAL_PRANSWER = 2,
    SL_SIGNALING_HAVE_REMOTE_OFFER = 3,
    SL_SIGNALING_HAVE_REMOTE_PRANSWER = 4,
    SL_SIGNALING_CLOSED = 5,
};
/// RTCPeerConnectionState.
enum {
    SL_CONNECTION_NEW = 0,
    SL_CONNECTION_CONNECTING = 1,
    SL_CONNECTION_CONNECTED = 2,
    SL_CONNECTION_DISCONNECTED = 3,
    SL_CONNECTION_FAILED = 4,
    SL_CONNECTION_CLOSED = 5,
};
/// RTCIceConnectionState.
enum {
    SL_ICE_NEW = 0,
    SL_ICE_CHECKING = 1,
    SL_ICE_CONNECTED = 2,
    SL_ICE_COMPLETED = 3,
    SL_ICE_FAILED = 4,
    SL_ICE_DISCONNECTED = 5,
    SL_ICE_CLOSED = 6,
};
/// RTCIceGatheringState.
enum {
    SL_GATHERING_NEW = 0,
    SL_GATHERING_GATHERING = 1,
    SL_GATHERING_COMPLETE = 2,
};
/// RTCSdpType. Unknown values are an invalid argument.
enum {
    SL_SDP_OFFER = 0,
    SL_SDP_PRANSWER = 1,
    SL_SDP_ANSWER = 2,
    SL_SDP_ROLLBACK = 3,
};
enum {
    SL_MEDIA_AUDIO = 0,
    SL_MEDIA_VIDEO = 1,
};

/// What happens to a peer connection. Every function may be null. All run on the signalling thread, one at a
/// time. None runs after `sl_peer_close` or `sl_peer_destroy` has returned; `release` is the last.
typedef struct sl_peer_callbacks {
    void *context;
    void (*on_signaling_state)(void *context, int32_t state);
    void (*on_connection_state)(void *context, int32_t state);
    void (*on_ice_state)(void *context, int32_t state);
    void (*on_gathering_state)(void *context, int32_t state);
    void (*on_negotiation_needed)(void *context);
    /// A local candidate, as the value of an "a=" line.
    void (*on_candidate)(void *context, const char *mid, int32_t line_index, const char *candidate);
    /// A remote track; the callee owns it.
    void (*on_track)(void *context, sl_remote_track *track);
    void (*on_track_removed)(void *context, const char *track_id);
    /// A data channel the other side opened; the callee owns it. Messages wait for `sl_data_channel_listen`.
    void (*on_data_channel)(void *context, sl_data_channel *channel);
    sl_release_fn release;
} sl_peer_callbacks;

/// A new peer connection (unified plan, max-bundle, RTCP multiplexed, UDP only). `callbacks` is copied, and
/// `release` runs even when creation fails. Null on failure, with `error` (may be null) filled in.
sl_peer *sl_peer_create(
    sl_engine *engine, const sl_peer_config *config, const sl_peer_callbacks *callbacks, sl_error *error);

/// Ends the connection. Operations under way complete soon after, most of them with `SL_CLOSED`; so do later
/// ones.
void sl_peer_close(sl_peer *peer);

/// Closes and frees. Called on an engine thread, it continues in the background.
void sl_peer_destroy(sl_peer *peer);

/// A description was made: `error` is null on success and `sdp` otherwise. Runs exactly once, on an engine
/// thread, or on the caller's before the function that started it returns, when that can tell at once. So do
/// the others.
typedef void (*sl_description_fn)(void *context, const sl_error *error, int32_t type, const char *sdp);

void sl_peer_create_offer(sl_peer *peer, bool ice_restart, void *context, sl_description_fn done);
void sl_peer_create_answer(sl_peer *peer, void *context, sl_description_fn done);
/// A null or empty `sdp` lets the engine make the description that fits its state.
void sl_peer_set_local_description(
    sl_peer *peer, int32_t type, const char *sdp, void *context, sl_done_fn done);
void sl_peer_set_remote_description(
    sl_peer *peer, int32_t type, const char *sdp, void *context, sl_done_fn done);
/// The local description with the candidates gathered so far; `SL_INVALID_STATE` if there is none yet.
void sl_peer_local_description(sl_peer *peer, void *context, sl_description_fn done);
/// Adds a remote candidate (with or without "a=" before it). Those that come before the remote description
/// wait for it, up to 256. An empty candidate is the end of candidates and changes nothing.
void sl_peer_add_candidate(
    sl_peer *peer, const char *mid, int32_t line_index, const char *candidate, void *context,
    sl_done_fn done);
/// Makes the next offer restart ICE.
void sl_peer_restart_ice(sl_peer *peer);
/// Bounds and start of the send-side bandwidth estimate in bits per second, in place of the bounds before; 0 is
/// no bound, or leaves the estimate where it is. Libwebrtc starts at 300 kbit/s, too low for 720p to begin at
/// its size.
bool sl_peer_set_bitrate(sl_peer *peer, int32_t min_bps, int32_t start_bps, int32_t max_bps, sl_error *error);

/// Sends `bitrate_bps`, video first and padding after it, whatever congestion control believes: the rate at
/// which it arrives is then what the network carries. For tests of a network, and short: it does to the
/// network what congestion control is there to avoid. Needs `can_saturate` and a sender of video. May be
/// repeated with another rate.
bool sl_peer_saturate(sl_peer *peer, int32_t bitrate_bps, sl_error *error);
/// Gives the rate back to congestion control, which begins again with `start_bps`; video gets at most
/// `max_video_bps`, and with 0 next to none is sent, and no padding in its place.
bool sl_peer_end_saturation(sl_peer *peer, int32_t start_bps, int32_t max_video_bps, sl_error *error);

/// A report; owned by the receiver until `sl_stats_report_destroy`. Immutable: any thread may walk it.
typedef struct sl_stats_report sl_stats_report;
/// `report` is null if and only if there is an `error`. Runs exactly once, on an engine thread.
typedef void (*sl_stats_fn)(void *context, const sl_error *error, sl_stats_report *report);

/// Takes a getStats() report. Reports less than 50 ms apart may be the same one.
void sl_peer_get_stats(sl_peer *peer, void *context, sl_stats_fn done);
/// Hands every object of the report to `visit`, on the calling thread, before it returns. The obsolete types
/// `track` and `stream` are omitted.
void sl_stats_report_walk(const sl_stats_report *report, void *context, sl_stats_object_fn visit);
void sl_stats_report_destroy(sl_stats_report *report);

#ifdef __cplusplus
}
#endif
#endif
