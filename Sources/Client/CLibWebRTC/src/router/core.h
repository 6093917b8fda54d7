// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_CORE_H_
#define SIGHTLINE_ROUTER_CORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "../include/router.h"
#include "abi/completion.h"
#include "emulation/conditioner.h"
#include "router/leg.h"
#include "router/stream.h"
#include "rtc_base/thread.h"

namespace sightline {

/// What happens on the legs of a `Router`; on its control thread.
struct RouterEvents {
    std::function<void(uint64_t leg, const std::string& mid, int line_index, const std::string& candidate)>
        on_candidate;
    std::function<void(uint64_t leg, int state)> on_connection_state;
};

/// `kinds`: see `sl_router_config`.
CandidateRule ReadCandidateRule(uint32_t kinds);

enum class LegKind { kPublisher, kSubscriber };

/// A leg that is to be added.
struct LegRequest {
    LegKind kind = LegKind::kPublisher;
    uint64_t leg = 0;
    uint64_t stream = 0;
    std::string offer;
    std::shared_ptr<Conditioner> conditioner;
};

/// Streams and legs by number. Contracts are those of `router.h`.
///
/// Everything that talks to libwebrtc happens on one control thread, in the order of the calls; what the
/// media policy reads and sets goes straight to the objects concerned, under a lock.
class Router {
public:
    static std::unique_ptr<Router> Create(const sl_router_config& config, RouterEvents events);
    /// Waits for the control thread; never on that thread.
    ~Router();

    void AddLeg(LegRequest request, Completion<std::string> completion);
    void Offer(uint64_t leg, std::string offer, Completion<std::string> completion);
    void AddCandidate(uint64_t leg, std::string mid, int line_index, std::string candidate,
                      Completion<Done> completion);
    void RemoveLeg(uint64_t leg);
    /// The completion runs on the control thread.
    void GetStats(uint64_t leg, Completion<StatsReport> completion);

    /// See `sl_router_probe`.
    void Probe(uint64_t leg, int64_t bitrate);
    /// See `sl_router_saturate`.
    void Saturate(uint64_t leg, int64_t bitrate);

    std::shared_ptr<RouterStream> FindStream(uint64_t stream) const;
    std::shared_ptr<VideoForwarder> FindForwarder(uint64_t leg) const;
    std::shared_ptr<LegCongestion> FindCongestion(uint64_t leg) const;

private:
    explicit Router(std::shared_ptr<RouterShared> shared, std::unique_ptr<rtc::Thread> control);

    /// Runs `task` with a leg on the control thread; `completion` fails if there is none.
    template <typename Value, typename Task>
    void WithLeg(uint64_t leg, Completion<Value> completion, Task task);
    webrtc::RTCError Admit(const LegRequest& request) const;
    webrtc::RTCError MakeLeg(LegRequest& request);
    void Remove(uint64_t leg);

    const std::shared_ptr<RouterShared> shared_;
    const std::unique_ptr<rtc::Thread> control_;
    /// Control thread only.
    std::map<uint64_t, std::shared_ptr<RouterLeg>> legs_;
    uint64_t largest_leg_ = 0;

    mutable std::mutex mutex_;
    struct StreamEntry {
        std::shared_ptr<RouterStream> stream;
        int legs = 0;
    };
    std::map<uint64_t, StreamEntry> streams_;
    struct LegEntry {
        uint64_t stream = 0;
        std::shared_ptr<LegCongestion> congestion;
        /// Null for publishers.
        std::shared_ptr<VideoForwarder> video;
    };
    std::map<uint64_t, LegEntry> entries_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_CORE_H_
