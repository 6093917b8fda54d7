// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/key_frame_limiter.h"

#include <limits>

namespace sightline {

void KeyFrameLimiter::Request(KeyFrameReason reason) {
    (reason == KeyFrameReason::kViewer ? viewer_waits_ : repair_waits_) = true;
}

void KeyFrameLimiter::OnKeyFrame() {
    viewer_waits_ = false;
    repair_waits_ = false;
}

std::optional<int64_t> KeyFrameLimiter::NextSend() const {
    if (!viewer_waits_ && !repair_waits_) return std::nullopt;
    if (!last_sent_ms_) return std::numeric_limits<int64_t>::min();
    return *last_sent_ms_ + (viewer_waits_ ? kViewerIntervalMs : kRepairIntervalMs);
}

bool KeyFrameLimiter::TrySend(int64_t now_ms) {
    const std::optional<int64_t> next = NextSend();
    if (!next || now_ms < *next) return false;
    OnKeyFrame();
    last_sent_ms_ = now_ms;
    return true;
}

}  // namespace sightline
