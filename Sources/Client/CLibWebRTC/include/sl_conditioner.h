// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// An emulated network between a peer connection and its UDP sockets.
#ifndef SL_CONDITIONER_H
#define SL_CONDITIONER_H

#include "sl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Directions as the peer connection sees them. Any other value is taken as down.
enum {
    SL_UP = 0,
    SL_DOWN = 1,
};

/// What one direction does to packets; all zero is a perfect link. Negative and non-finite numbers count as
/// 0.
typedef struct sl_link_settings {
    /// Added to every packet.
    double delay_ms;
    /// Each packet gets a further delay drawn uniformly from 0 to this. Packets keep their order.
    double jitter_ms;
    /// Packets lost independently of each other, 0 to 100.
    double loss_percent;
    /// Packets lost in bursts, as a share of all packets, 0 to 100.
    double burst_loss_percent;
    /// Mean length of a burst in packets; below 1 counts as 1.
    double burst_length;
    /// Capacity in kbit/s, counting 28 bytes of IP and UDP header a packet; 0 is unlimited.
    double rate_kbps;
    /// Backlog at the bottleneck beyond which arriving packets are dropped. Counts only with a rate.
    double queue_ms;
    /// Drops everything.
    bool outage;
} sl_link_settings;

/// What one direction has done so far. Bytes are UDP payload. `offered` is the sum of `sent` and what was
/// dropped; `sent` packets may still be under way.
typedef struct sl_link_counters {
    uint64_t packets_offered, bytes_offered;
    uint64_t packets_sent, bytes_sent;
    uint64_t dropped_by_loss, dropped_by_queue, dropped_by_outage;
} sl_link_counters;

/// Owned by the caller until `sl_conditioner_destroy`; peer connections that use it keep it working beyond
/// that.
typedef struct sl_conditioner sl_conditioner;

/// A perfect network in both directions. Equal seeds draw equal losses and jitter from equal packets.
sl_conditioner *sl_conditioner_create(uint64_t seed);
void sl_conditioner_destroy(sl_conditioner *conditioner);
/// Applies to packets from now on. Takes no more than a lock, so any thread may call it at any time.
void sl_conditioner_set(sl_conditioner *conditioner, int32_t direction, const sl_link_settings *settings);
sl_link_counters sl_conditioner_counters(const sl_conditioner *conditioner, int32_t direction);

/// What happened to a packet. Append-only.
enum {
    SL_FATE_DELIVERED = 0,
    SL_FATE_LOST = 1,
    SL_FATE_QUEUE_FULL = 2,
    SL_FATE_OUTAGE = 3,
};

/// The arithmetic of one direction on a clock of the caller's, for tests. Used by one thread at a time.
typedef struct sl_link_model sl_link_model;

sl_link_model *sl_link_model_create(uint64_t seed);
void sl_link_model_destroy(sl_link_model *model);
void sl_link_model_set(sl_link_model *model, const sl_link_settings *settings);
/// Sends a packet of `bytes` UDP payload at `now_us`, which never decreases. Returns an `SL_FATE_*`; a
/// delivered packet's arrival is written to `arrival_us` (may be null).
int32_t sl_link_model_offer(sl_link_model *model, size_t bytes, int64_t now_us, int64_t *arrival_us);
sl_link_counters sl_link_model_counters(const sl_link_model *model);

#ifdef __cplusplus
}
#endif
#endif
