// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One direction of an emulated network path as pure arithmetic, on a clock of the caller's.
#ifndef SL_LINK_MODEL_H
#define SL_LINK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What one direction does to packets; all zero is a perfect link. Negative and non-finite numbers count as
/// 0, and times beyond an hour as an hour.
typedef struct sl_link_settings {
    /// Added to every packet, ms.
    double delay_ms;
    /// Each packet gets a further delay of 0 to this, ms, every value equally likely. Packets keep their order.
    double jitter_ms;
    /// Time after which the correlation of two packets' jitter has fallen to 1/e, ms; 0 draws each packet's
    /// jitter independently of the others.
    double jitter_correlation_ms;
    /// Packets lost independently of each other, 0 to 100.
    double loss_percent;
    /// Packets lost in bursts, as a share of all packets, 0 to 100.
    double burst_loss_percent;
    /// Mean length of a burst in packets; below 1 counts as 1.
    double burst_length;
    /// Capacity in kbit/s, headers counted (see `sl_link_model_create`); 0 is unlimited, less than 0.1 counts
    /// as 0.1.
    double rate_kbps;
    /// How far the capacity wanders from `rate_kbps`, upwards and downwards, in percent of it, 0 to 95.
    double rate_swing_percent;
    /// Time after which the correlation of two moments' capacity has fallen to 1/e, ms; below 1 counts as 1.
    double rate_swing_ms;
    /// Backlog at the bottleneck beyond which arriving packets are dropped, in ms of transmission at
    /// `rate_kbps`. Counts only with a rate.
    double queue_ms;
    /// Mean length of a stall, ms: for half to one and a half times as long the link transmits nothing.
    /// Packets wait in the queue, and leave at the link's rate afterwards: all at once where there is none.
    double stall_ms;
    /// Mean time from the end of a stall to the next (exponentially distributed), ms; 0 for no stalls, below
    /// 10 counts as 10.
    double stall_every_ms;
    /// Drops everything.
    bool outage;
} sl_link_settings;

/// What one direction has done so far. Bytes are those given to `sl_link_model_offer`, without the headers
/// that the model adds. `offered` is the sum of `sent` and what was dropped; `sent` packets may still be under
/// way.
typedef struct sl_link_counters {
    uint64_t packets_offered, bytes_offered;
    uint64_t packets_sent, bytes_sent;
    uint64_t dropped_by_loss, dropped_by_queue, dropped_by_outage;
} sl_link_counters;

/// What the newest packet met, delivered or not, as far as it came; all zero before the first.
typedef struct sl_link_encounter {
    /// The capacity at that moment, kbit/s; 0 is unlimited, or was not needed because it was dropped.
    double rate_kbps;
    /// Transmission of what was before it in the queue, µs, stalls not counted.
    double queue_us;
    /// How long stalls hold it back, µs; only of delivered packets.
    double stall_us;
    /// Delay that is drawn for it beyond the constant one, µs, the wait to keep the order included; only of
    /// delivered packets.
    double jitter_us;
} sl_link_encounter;

/// What happened to a packet. Append-only.
enum {
    SL_FATE_DELIVERED = 0,
    SL_FATE_LOST = 1,
    SL_FATE_QUEUE_FULL = 2,
    SL_FATE_OUTAGE = 3,
};

/// Bytes of IPv4 and UDP header.
enum { SL_UDP_HEADER_BYTES = 28 };

/// Used by one thread at a time.
typedef struct sl_link_model sl_link_model;

/// A perfect link. `header_bytes` are added to each packet's size where capacity is counted:
/// `SL_UDP_HEADER_BYTES` for packets that are UDP payload, 0 for whole IP packets. The same seed, settings and
/// packets give the same fates.
sl_link_model *sl_link_model_create(uint64_t seed, size_t header_bytes);
void sl_link_model_destroy(sl_link_model *model);
/// Applies to packets offered from now on; those under way keep their arrival time.
void sl_link_model_set(sl_link_model *model, const sl_link_settings *settings);
/// Sends a packet at `now_us`, which never decreases. Returns an `SL_FATE_*`; a delivered packet's arrival is
/// written to `arrival_us` (may be null).
int32_t sl_link_model_offer(sl_link_model *model, size_t bytes, int64_t now_us, int64_t *arrival_us);
sl_link_counters sl_link_model_counters(const sl_link_model *model);
sl_link_encounter sl_link_model_encounter(const sl_link_model *model);

#ifdef __cplusplus
}
#endif
#endif
