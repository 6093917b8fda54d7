// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_KEY_FRAME_LIMITER_H_
#define SIGHTLINE_ROUTER_KEY_FRAME_LIMITER_H_

#include <cstdint>
#include <optional>

namespace sightline {

/// Why a layer is asked for a key frame.
enum class KeyFrameReason {
    /// A new viewer, or one that switches to the layer.
    kViewer = 0,
    /// A viewer that lost frames, or repeats its request.
    kRepair = 1,
};

/// Decides when a layer's publisher is asked for a key frame. Pure: time comes in.
///
/// A key frame is expensive, most publishers encode one on every layer, and every viewer pays: this many
/// requests become one, at most every 300 ms for new viewers and every second for repeats.
class KeyFrameLimiter {
public:
    static constexpr int64_t kViewerIntervalMs = 300;
    static constexpr int64_t kRepairIntervalMs = 1000;

    void Request(KeyFrameReason reason);
    /// A key frame arrived: whoever waited has it.
    void OnKeyFrame();
    /// When a request may go out; `nullopt` while no one waits for one.
    std::optional<int64_t> NextSend() const;
    /// Whether to send a request now. If so, it counts as sent.
    bool TrySend(int64_t now_ms);

private:
    bool viewer_waits_ = false;
    bool repair_waits_ = false;
    std::optional<int64_t> last_sent_ms_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_KEY_FRAME_LIMITER_H_
