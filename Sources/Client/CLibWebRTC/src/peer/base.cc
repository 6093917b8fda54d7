// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "abi/live_count.h"

static_assert(sizeof(sl_error) == 256, "sl_error is part of the ABI");

uint32_t sl_abi_version(void) {
    return SL_ABI_VERSION;
}

int64_t sl_live_objects(int32_t kind) {
    if (kind < 0 || kind >= SL_LIVE_KIND_COUNT) return -1;
    return sightline::live_counts[kind].load(std::memory_order_relaxed);
}
