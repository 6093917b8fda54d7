// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// An emulated network between a peer connection and its UDP sockets.
#ifndef SL_CONDITIONER_H
#define SL_CONDITIONER_H

#include "sl_base.h"
#include "sl_link_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Directions as the client sees them, at its own end as at the router's. Any other value is taken as down.
enum {
    SL_UP = 0,
    SL_DOWN = 1,
};

/// Owned by the caller until `sl_conditioner_destroy`; peer connections that use it keep it working beyond
/// that. In each direction 8 MiB may be under way; what comes beyond is dropped as by a full queue.
typedef struct sl_conditioner sl_conditioner;

/// A perfect network in both directions. Equal seeds draw equal losses and jitter from equal packets.
sl_conditioner *sl_conditioner_create(uint64_t seed);
void sl_conditioner_destroy(sl_conditioner *conditioner);
/// Applies to packets from now on. Takes no more than a lock, so any thread may call it at any time.
void sl_conditioner_set(sl_conditioner *conditioner, int32_t direction, const sl_link_settings *settings);
/// Bytes are UDP payload; 28 bytes of header a packet count against the capacity.
sl_link_counters sl_conditioner_counters(const sl_conditioner *conditioner, int32_t direction);

#ifdef __cplusplus
}
#endif
#endif
