// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_COMPLETION_H
#define SIGHTLINE_COMPLETION_H

#include <functional>
#include <memory>
#include <utility>

#include "api/rtc_error.h"
#include "live_count.h"

namespace sightline {

/// The result of an operation that has none.
struct Done {};

/// The promise that a callback runs exactly once.
///
/// Whoever drops it unfulfilled (an operation chain torn down with its peer connection, a task that never ran)
/// thereby reports `INVALID_STATE`, which the C ABI turns into `SL_CLOSED`. Movable, not copyable; may be
/// fulfilled on any thread, by one.
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
        if (state_) Fail({webrtc::RTCErrorType::INVALID_STATE, kAbandoned});
    }

    static constexpr const char* kAbandoned = "the peer connection was closed first";
    std::unique_ptr<State> state_;
};

}  // namespace sightline
#endif
