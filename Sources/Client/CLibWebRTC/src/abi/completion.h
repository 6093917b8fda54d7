// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_COMPLETION_H
#define SIGHTLINE_COMPLETION_H

#include "peer/engine_prelude.h"

#include <functional>
#include <memory>
#include <utility>

#include "api/rtc_error.h"
#include "abi/live_count.h"

namespace sightline {

inline constexpr const char* kClosedMessage = "the peer connection is closed";

/// The result of an operation that has none.
struct Done {};

/// The promise that a callback runs exactly once.
///
/// Whoever drops it unfulfilled (an operation chain torn down with its peer connection, a task that never
/// ran) thereby reports `NETWORK_ERROR`, which libwebrtc itself never uses and the C ABI calls `SL_CLOSED`.
/// Movable, not copyable; may be fulfilled on any thread, by one.
template <typename Value>
class Completion {
public:
    using Callback = std::function<void(webrtc::RTCErrorOr<Value>)>;

    Completion() = default;
    explicit Completion(Callback callback) : state_(std::make_unique<State>(std::move(callback))) {}
    Completion(Completion&&) = default;
    Completion& operator=(Completion&& other) {
        Abandon();
        state_ = std::move(other.state_);
        return *this;
    }
    ~Completion() { Abandon(); }

    /// Runs the callback; later calls do nothing.
    void Fulfill(webrtc::RTCErrorOr<Value> result) {
        auto state = std::move(state_);
        if (state && state->callback) state->callback(std::move(result));
    }
    void Succeed(Value value) { Fulfill(std::move(value)); }
    void Fail(webrtc::RTCError error) { Fulfill(std::move(error)); }

private:
    struct State {
        explicit State(Callback callback) : callback(std::move(callback)) {}
        Callback callback;
        LiveCount<SL_LIVE_OPERATION> count;
    };

    void Abandon() {
        if (state_) Fail({webrtc::RTCErrorType::NETWORK_ERROR, kClosedMessage});
    }

    std::unique_ptr<State> state_;
};

}  // namespace sightline
#endif
