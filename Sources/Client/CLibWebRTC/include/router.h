// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The media router's engine: peer connections with pass-through codecs. Read `sl_base.h` first: its rules
/// hold here too, with one difference: callbacks arrive on the router's own thread, never on an engine
/// thread. They must still not wait, because everything the router does waits for them.
///
/// A *leg* is one client's peer connection with the router. The client offers, the router answers. A *stream*
/// is what publisher legs send and subscriber legs receive; it exists while it has a leg. Encoded media pass
/// through: VP8 and H.264 (packetization mode 1) video, simulcast by rid, and Opus audio.
///
/// libwebrtc aborts its process on a broken invariant, and its field trials hold for the whole process: a
/// router belongs into a process of its own.
#ifndef SL_ROUTER_H
#define SL_ROUTER_H

#include "sl_base.h"
#include "sl_conditioner.h"
#include "sl_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_router sl_router;

/// Kinds of addresses that a client's candidates may have.
enum {
    SL_CANDIDATES_PUBLIC = 1,
    /// RFC 1918, shared, unique local.
    SL_CANDIDATES_PRIVATE = 2,
    SL_CANDIDATES_LOOPBACK = 4,
    SL_CANDIDATES_LINK_LOCAL = 8,
};

typedef struct sl_router_config {
    /// Threads that run libwebrtc's task queues; 0 means 2.
    int32_t queue_threads;
    /// Gathers candidates on the loopback interface only; otherwise on every interface.
    bool loopback_only;
    /// Any of SL_CANDIDATES_*; 0 means public and private ones. `loopback_only` allows those, too. Other
    /// candidates of clients are ignored, as are TCP ones and names.
    uint32_t candidates;
    /// UDP ports that legs may take, both included; 0 for any.
    int32_t lowest_port;
    int32_t highest_port;
    /// Addresses that clients are given in place of the machine's own, separated by commas: "ADDRESS", for every local
    /// address of its family, or "ADDRESS/LOCAL" for one. Of a family that has one, no other is given. Null for none.
    const char *announced;
    /// Bitrates of each subscriber leg in bps; 0 means 30 000, 600 000 and 6 000 000.
    int32_t min_bitrate;
    int32_t start_bitrate;
    int32_t max_bitrate;
} sl_router_config;

typedef struct sl_router_callbacks {
    void *context;
    /// A local candidate of `leg`, as the value of an "a=" line, in the terms of the client's offer. Comes
    /// after the answer that it belongs to.
    void (*on_candidate)(
        void *context, uint64_t leg, const char *mid, int32_t line_index, const char *candidate);
    /// `state` is one of SL_CONNECTION_*.
    void (*on_connection_state)(void *context, uint64_t leg, int32_t state);
    sl_release_fn release;
} sl_router_callbacks;

/// The end of a negotiation: `error` is null and `answer` the description for the client, or the other way
/// round.
typedef void (*sl_router_answer_fn)(void *context, const sl_error *error, const char *answer);

/// What clients are given of a local candidate, a line each, if `addresses` is `sl_router_config.announced` and the machine
/// has the addresses of `own`, separated by commas. Null if `addresses` cannot be read. To be freed with
/// `sl_router_free_text`.
char *sl_router_announce(const char *addresses, const char *own, const char *candidate);

/// Starts the engine with the router's field trials. Null and `error` if it cannot. The first call in a
/// process must come before any other use of libwebrtc in it.
sl_router *sl_router_create(
    const sl_router_config *config, const sl_router_callbacks *callbacks, sl_error *error);
/// Closes all legs. No callback comes afterwards, except `release` and the ends of operations.
void sl_router_destroy(sl_router *router);

/// Adds a leg on which `stream` arrives, and answers its first offer. `leg` and `stream` are the caller's
/// numbers, not 0; a number is used once, and of two publisher legs of a stream the larger is the newer.
///
/// A second publisher leg replaces the first without a gap: media move to it when it delivers, and the caller
/// then removes the old one. It has to offer the codec that the stream already has.
///
/// `conditioner` may be null: there is nothing between the leg and its sockets then. Its directions are the client's: up is
/// what the leg receives. Legs with the same one share its links. `done` runs exactly once. When it brings an error, the leg does not exist.
void sl_router_add_publisher(
    sl_router *router, uint64_t leg, uint64_t stream, const char *offer, const sl_conditioner *conditioner,
    void *context, sl_router_answer_fn done);

/// Adds a leg that sends `stream`, and answers its first offer. SL_INVALID_STATE if the stream has no leg.
/// Video stays off until `sl_router_select_layer`. Otherwise like `sl_router_add_publisher`.
void sl_router_add_subscriber(
    sl_router *router, uint64_t leg, uint64_t stream, const char *offer, const sl_conditioner *conditioner,
    void *context, sl_router_answer_fn done);

/// Answers a later offer of a leg: an ICE restart, or media switched on or off. An error leaves the leg as it
/// was, but for SL_CLOSED: libwebrtc has broken off in the middle, and the leg, which answers no more, is to be removed.
void sl_router_offer(
    sl_router *router, uint64_t leg, const char *offer, void *context, sl_router_answer_fn done);

/// Takes a remote candidate in the terms of the client's offer. An empty candidate is ignored, as is one that
/// `sl_router_config.candidates` does not allow and what is more than 32 different ones in the leg's life (8
/// more for each ICE restart, 96 at most); more than 256 since the last offer are refused.
void sl_router_add_candidate(
    sl_router *router, uint64_t leg, const char *mid, int32_t line_index, const char *candidate,
    void *context, sl_done_fn done);

/// Ends a leg; nothing if there is no such leg. The stream continues for its other legs.
void sl_router_remove_leg(sl_router *router, uint64_t leg);

/// Hands the getStats() report of a leg to `visit`, object by object, then calls `done`.
void sl_router_get_stats(
    sl_router *router, uint64_t leg, void *context, sl_stats_object_fn visit, sl_done_fn done);

/// What packets show of the path that a leg's media take, by when they were sent and when they came.
typedef struct sl_path_second {
    /// What the path let through at least, bps: what was sent within some time came a little later. A token bucket lets as much
    /// through for a moment.
    int64_t capacity_bound_bps;
    /// How far, at most, all packets of a quarter of a second were above the least delay of the last two minutes, us; those that
    /// come in a clump after a stall do not count.
    int64_t sustained_delay_us;
    /// How far apart the delays of packets were, from the 5th to the 95th percentile, us.
    int64_t delay_spread_us;
} sl_path_second;

/// Takes what packets have shown of the path that a leg's media take since the last call: each time about a second of them, of
/// several the most. A publisher's carry their send times (abs-send-time), and a subscriber says when they came (transport-wide
/// feedback). Returns `false` if too few came, or these are missing, or there is no such leg.
bool sl_router_take_path(sl_router *router, uint64_t leg, sl_path_second *second);

/// Temporal layers that are distinguished.
#define SL_ROUTER_TEMPORAL_LAYERS 4

/// One layer of a stream, and what has arrived on it since it exists.
typedef struct sl_router_layer {
    /// Names the layer, unique in its router; never 0.
    uint64_t layer;
    /// The publisher leg it comes from.
    uint64_t leg;
    /// Empty without simulcast.
    char rid[20];
    /// Pixels; 0 before the first key frame.
    int32_t width;
    int32_t height;
    uint64_t frames;
    uint64_t key_frames;
    uint64_t bytes;
    /// The same by temporal layer; everything is in the first when the codec or its sender has none.
    uint64_t temporal_frames[SL_ROUTER_TEMPORAL_LAYERS];
    uint64_t temporal_bytes[SL_ROUTER_TEMPORAL_LAYERS];
    /// Key frame requests sent to the publisher.
    uint64_t key_frame_requests;
    /// Microseconds since the last frame; -1 before the first.
    int64_t last_frame_age_us;
} sl_router_layer;

/// Writes the layers that subscribers of `stream` can choose from, in the order of the publisher's offer, and
/// returns how many there are, which may be more than `capacity`. While a publisher is replaced these are the
/// layers of the leg that video comes from. Takes no more than locks.
size_t sl_router_read_layers(sl_router *router, uint64_t stream, sl_router_layer *layers, size_t capacity);

/// What a subscriber leg does with video.
typedef struct sl_router_forwarding {
    /// The layer selected last; 0 for none.
    uint64_t wanted_layer;
    /// The layer whose frames are sent; 0 for none. Differs from `wanted_layer` until that one's next key
    /// frame.
    uint64_t sent_layer;
    /// What congestion control allots to the video now, bps; -1 before the first frame, 0 while it is paused.
    /// Stands still while no video is sent.
    int64_t allocated_bps;
    /// What congestion control believes the leg to carry in all, bps; -1 before it has begun. Moves whether
    /// video is sent or not.
    int64_t estimated_bps;
    uint64_t frames_sent;
    /// Frames withheld because frames before them are missing.
    uint64_t frames_withheld;
    /// Holes that libwebrtc tore into the frames on their way to the network.
    uint64_t gaps;
    /// Times it did not take a frame within 150 ms.
    uint64_t stalls;
    uint64_t layer_switches;
    uint64_t key_frame_requests;
    /// Whether the leg's last offer asked for video, and the stream had some.
    bool has_video;
} sl_router_forwarding;

/// False if there is no such subscriber leg. Takes no more than locks.
bool sl_router_read_forwarding(sl_router *router, uint64_t leg, sl_router_forwarding *forwarding);

/// Chooses the layer that a subscriber leg is sent; 0 turns video off. The change happens at the layer's next
/// key frame, which is asked for; until then the old layer is sent, or, with `stop_first`, nothing is sent.
/// Takes no more than locks.
void sl_router_select_layer(sl_router *router, uint64_t leg, uint64_t layer, bool stop_first);

/// Omits what is above temporal layer `highest`, 0 or more, of whatever layer a subscriber leg is sent.
/// Less takes effect at once, more as soon as the sender allows a switch. Takes no more than locks.
void sl_router_limit_temporal_layers(sl_router *router, uint64_t leg, int32_t highest);

/// Finds out at once whether a subscriber leg carries `bitrate` bps (bounded by `max_bitrate`), with a burst
/// of some 15 ms at that rate, made of padding where there is nothing else; the estimate then moves by
/// itself. Congestion control probes on its own only while it sends much less than it might; a leg whose
/// estimate has collapsed below what it sends would creep up for half a minute. Takes no more than locks.
void sl_router_probe(sl_router *router, uint64_t leg, int32_t bitrate);

/// Sends `bitrate` bps on a subscriber leg, padding after media, whatever congestion control believes: the
/// rate at which it arrives is then what the leg's network carries. 0 gives the rate back to congestion
/// control. For tests of a network, and short. Takes no more than locks.
void sl_router_saturate(sl_router *router, uint64_t leg, int32_t bitrate);

/// Reads an offer as a router would, and gives its view of it: null and `error` if it refuses. For tests;
/// needs no router. `codec` may be null for none, or "VP8", or "H264 <profile>"; see `SdpView` for what a
/// view is. The text belongs to the caller; end it with `sl_router_free_text`.
char *sl_router_view_offer(bool publisher, const char *offer, const char *codec, sl_error *error);
/// Reads a candidate as a router would whose `sl_router_config.candidates` is `kinds`: as it is handed to the
/// engine, or null if it is not, with `error` set if it could not even be read. For tests.
char *sl_router_read_candidate(const char *candidate, uint32_t kinds, sl_error *error);
/// The candidates in an offer that would be used, a line each; null if the offer is refused. For tests.
char *sl_router_read_offer_candidates(const char *offer, uint32_t kinds);
/// Folds an answer to that view back into an answer to `offer`; null if the offer is refused.
char *sl_router_fold_answer(const char *offer, const char *answer);
void sl_router_free_text(char *text);

/// Whether an H.264 frame, with start codes, can be made packets of again; others are refused. For tests.
bool sl_router_can_packetize_h264(const uint8_t *data, size_t size);

/// The gate before a received video stream alone, for tests. Times in ms.
typedef struct sl_sequence_gate sl_sequence_gate;
sl_sequence_gate *sl_sequence_gate_create(void);
void sl_sequence_gate_destroy(sl_sequence_gate *gate);
/// Whether a packet passes; one without a payload is `padding`.
bool sl_sequence_gate_admit(
    sl_sequence_gate *gate, uint16_t number, uint32_t timestamp, bool padding, bool ends_frame, uint64_t digest,
    int64_t now_ms);

/// What reads send times and arrivals, alone, for tests.
typedef struct sl_path_timing sl_path_timing;
sl_path_timing *sl_path_timing_create(void);
void sl_path_timing_destroy(sl_path_timing *timing);
/// Takes a packet with its abs-send-time (24 bits). Returns whether about a second ended with it in which enough came.
bool sl_path_timing_packet(
    sl_path_timing *timing, uint32_t send_time, int64_t arrival_us, size_t bytes, sl_path_second *second);
/// Ends a second early. Returns whether it has lasted for half of one, and enough came in it.
bool sl_path_timing_end_second(sl_path_timing *timing, sl_path_second *second);

/// What tells how long forwarded media waited in queues, alone, for tests. Times in ms.
typedef struct sl_transit_baseline sl_transit_baseline;
sl_transit_baseline *sl_transit_baseline_create(int ticks_per_ms);
void sl_transit_baseline_destroy(sl_transit_baseline *baseline);
/// By how much something that comes now is late. The first is late by `start`; negative if nothing is known of that.
int64_t sl_transit_baseline_lateness(sl_transit_baseline *baseline, uint32_t timestamp, int64_t now_ms, int64_t start);
/// What comes next has timestamps of its own.
void sl_transit_baseline_restart(sl_transit_baseline *baseline);

/// What decides which datagrams reach a connection, alone, for tests. Ports stand for addresses; times in ms.
typedef struct sl_datagram_gate sl_datagram_gate;
sl_datagram_gate *sl_datagram_gate_create(bool has_data_channels, int64_t now_ms);
void sl_datagram_gate_destroy(sl_datagram_gate *gate);
bool sl_datagram_gate_admit(sl_datagram_gate *gate, const char *data, size_t size, uint16_t from, int64_t now_ms);
void sl_datagram_gate_sent(sl_datagram_gate *gate, const char *data, size_t size, uint16_t to, int64_t now_ms);

/// What keeps the times of transport-wide feedback in order, alone, for tests.
typedef struct sl_feedback_gate sl_feedback_gate;
sl_feedback_gate *sl_feedback_gate_create(void);
void sl_feedback_gate_destroy(sl_feedback_gate *gate);
/// Corrects the base times of an RTCP packet.
void sl_feedback_gate_correct(sl_feedback_gate *gate, uint8_t *packet, size_t size, int64_t now_ms);

/// What keeps the timestamps of forwarded audio in a line, alone, for tests.
typedef struct sl_audio_timeline sl_audio_timeline;
sl_audio_timeline *sl_audio_timeline_create(void);
void sl_audio_timeline_destroy(sl_audio_timeline *timeline);
/// The timestamp that a packet is forwarded with.
uint32_t sl_audio_timeline_take(
    sl_audio_timeline *timeline, uint64_t leg, uint32_t ssrc, uint32_t timestamp, int64_t now_ms);

/// What dates the audio of a subscriber's leg, alone, for tests. Times in ms.
typedef struct sl_sender_report_rewriter sl_sender_report_rewriter;
sl_sender_report_rewriter *sl_sender_report_rewriter_create(uint32_t ssrc);
void sl_sender_report_rewriter_destroy(sl_sender_report_rewriter *rewriter);
/// Sends a packet of media at a time that is not before that of the last.
void sl_sender_report_rewriter_send_rtp(
    sl_sender_report_rewriter *rewriter, const uint8_t *packet, size_t length, bool retransmission, int64_t now_ms);
/// Sends reports at the time of the last packet of media. They are replaced by what leaves, which is as long.
void sl_sender_report_rewriter_send_rtcp(sl_sender_report_rewriter *rewriter, uint8_t *packet, size_t length);

/// The key frame limiter alone, for tests. Times in ms.
typedef struct sl_key_frame_limiter sl_key_frame_limiter;
sl_key_frame_limiter *sl_key_frame_limiter_create(void);
void sl_key_frame_limiter_destroy(sl_key_frame_limiter *limiter);
/// `repair` is a repeated or loss-driven request, otherwise it is a new viewer's.
void sl_key_frame_limiter_request(sl_key_frame_limiter *limiter, bool repair);
void sl_key_frame_limiter_key_frame(sl_key_frame_limiter *limiter);
/// Whether a request goes out now.
bool sl_key_frame_limiter_try_send(sl_key_frame_limiter *limiter, int64_t now_ms);

#ifdef __cplusplus
}
#endif
#endif
