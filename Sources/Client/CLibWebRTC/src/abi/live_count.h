// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_LIVE_COUNT_H
#define SIGHTLINE_LIVE_COUNT_H

#include <array>
#include <atomic>
#include <cstdint>

#include "../include/sl_base.h"

namespace sightline {

/// One counter per `SL_LIVE_*` kind.
inline std::array<std::atomic<int64_t>, SL_LIVE_KIND_COUNT> live_counts{};

/// A member or base that counts its owner among the living.
template <int kind>
class LiveCount {
public:
    LiveCount() { live_counts[kind].fetch_add(1, std::memory_order_relaxed); }
    LiveCount(const LiveCount&) = delete;
    LiveCount& operator=(const LiveCount&) = delete;
    ~LiveCount() { live_counts[kind].fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace sightline
#endif
