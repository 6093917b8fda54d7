// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_AUDIO_TIMELINE_H_
#define SIGHTLINE_ROUTER_AUDIO_TIMELINE_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "router/transit_baseline.h"

namespace sightline {

/// Where an audio packet comes from: timestamps of one origin have nothing to do with those of another.
struct AudioOrigin {
    /// The publisher's.
    uint64_t leg = 0;
    uint32_t ssrc = 0;

    bool operator==(const AudioOrigin&) const = default;
};

/// The RTP timestamps of one subscriber's audio, whose origin may change: a jump would empty the receiver's buffer, so a new
/// origin continues where the old one stopped, later by the time that has passed.
class AudioTimeline {
public:
    uint32_t Take(AudioOrigin origin, uint32_t timestamp, int64_t now_ms) {
        if (origin_ && *origin_ != origin) {
            const auto elapsed = static_cast<uint32_t>((now_ms - last_ms_) * kOpusTicksPerMs);
            offset_ = last_ + std::max(1u, elapsed) - timestamp;
        }
        origin_ = origin;
        last_ms_ = now_ms;
        return last_ = timestamp + offset_;
    }

private:
    std::optional<AudioOrigin> origin_;
    uint32_t offset_ = 0;
    uint32_t last_ = 0;
    int64_t last_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_AUDIO_TIMELINE_H_
