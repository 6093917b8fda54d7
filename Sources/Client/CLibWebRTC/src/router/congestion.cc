// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/congestion.h"

#include <algorithm>
#include <utility>

#include "api/transport/goog_cc_factory.h"
#include "router/leg_wiring.h"

namespace sightline {

namespace {

// Beyond what congestion control numbers its own probes with.
constexpr int32_t kFirstProbeId = 1'000'000;

// How much faster than its target libwebrtc lets media out, so that a large frame does not wait.
constexpr double kPacingFactor = 2.5;

// Those of libwebrtc's own probes.
constexpr int kProbePackets = 5;
constexpr webrtc::TimeDelta kProbeTime = webrtc::TimeDelta::Millis(15);

class WatchedController final : public webrtc::NetworkControllerInterface {
    using Update = webrtc::NetworkControlUpdate;

public:
    WatchedController(
        std::unique_ptr<webrtc::NetworkControllerInterface> inner, std::shared_ptr<LegCongestion> leg)
        : inner_(std::move(inner)), leg_(std::move(leg)) {}

    Update OnNetworkAvailability(webrtc::NetworkAvailability message) override {
        return Watch(inner_->OnNetworkAvailability(message));
    }
    Update OnNetworkRouteChange(webrtc::NetworkRouteChange message) override {
        leg_->OnRouteChange();
        return Watch(inner_->OnNetworkRouteChange(message));
    }
    Update OnProcessInterval(webrtc::ProcessInterval message) override {
        Update update = Watch(inner_->OnProcessInterval(message));
        if (const int64_t bitrate = leg_->TakeProbe(); bitrate > 0) {
            webrtc::ProbeClusterConfig probe;
            probe.at_time = message.at_time;
            probe.target_data_rate = webrtc::DataRate::BitsPerSec(bitrate);
            probe.target_duration = kProbeTime;
            probe.target_probe_count = kProbePackets;
            probe.id = next_probe_++;
            update.probe_cluster_configs.push_back(probe);
        }
        Overrule(update);
        return update;
    }
    Update OnRemoteBitrateReport(webrtc::RemoteBitrateReport message) override {
        return Watch(inner_->OnRemoteBitrateReport(message));
    }
    Update OnRoundTripTimeUpdate(webrtc::RoundTripTimeUpdate message) override {
        return Watch(inner_->OnRoundTripTimeUpdate(message));
    }
    Update OnSentPacket(webrtc::SentPacket message) override { return Watch(inner_->OnSentPacket(message)); }
    Update OnReceivedPacket(webrtc::ReceivedPacket message) override {
        return Watch(inner_->OnReceivedPacket(message));
    }
    Update OnStreamsConfig(webrtc::StreamsConfig message) override {
        return Watch(inner_->OnStreamsConfig(message));
    }
    Update OnTargetRateConstraints(webrtc::TargetRateConstraints message) override {
        return Watch(inner_->OnTargetRateConstraints(message));
    }
    Update OnTransportLossReport(webrtc::TransportLossReport message) override {
        return Watch(inner_->OnTransportLossReport(message));
    }
    Update OnTransportPacketsFeedback(webrtc::TransportPacketsFeedback message) override {
        for (const auto& packet : message.SortedByReceiveTime()) NoteArrival(packet);
        return Watch(inner_->OnTransportPacketsFeedback(message));
    }
    Update OnNetworkStateEstimate(webrtc::NetworkStateEstimate message) override {
        return Watch(inner_->OnNetworkStateEstimate(message));
    }

private:
    Update Watch(Update update) {
        if (update.target_rate && update.target_rate->target_rate.IsFinite()) {
            leg_->OnEstimate(update.target_rate->target_rate.bps());
        }
        if (update.congestion_window) wanted_.congestion_window = update.congestion_window;
        if (update.pacer_config) wanted_.pacer_config = update.pacer_config;
        if (update.target_rate) wanted_.target_rate = update.target_rate;
        // What is overruled is set again at the next interval.
        if (leg_->saturation() > 0) {
            update.congestion_window.reset();
            update.pacer_config.reset();
            update.target_rate.reset();
        }
        return update;
    }

    /// Reads what the client says of a packet that arrived.
    void NoteArrival(const webrtc::PacketResult& packet) {
        const auto& sent = packet.sent_packet;
        if (!sent.send_time.IsFinite() || !packet.receive_time.IsFinite()) return;
        leg_->OnPacket(
            sent.send_time.us(), packet.receive_time.us(), static_cast<size_t>(sent.size.bytes()));
    }

    /// Puts the rates of a saturation in place of congestion control's, and those back afterwards.
    void Overrule(Update& update) {
        const int64_t bps = leg_->saturation();
        if (bps > 0) {
            const auto rate = webrtc::DataRate::BitsPerSec(bps);
            const auto second = webrtc::TimeDelta::Seconds(1);
            update.congestion_window = webrtc::DataSize::PlusInfinity();
            update.pacer_config.emplace();
            update.pacer_config->time_window = second;
            update.pacer_config->data_window = rate * kPacingFactor * second;
            update.pacer_config->pad_window = rate * second;
            if (wanted_.target_rate) {
                // A paused video would neither be sent nor padded.
                update.target_rate = wanted_.target_rate;
                update.target_rate->target_rate = update.target_rate->stable_target_rate = rate;
            }
        } else if (is_overruled_) {
            update.congestion_window = wanted_.congestion_window;
            update.pacer_config = wanted_.pacer_config;
            update.target_rate = wanted_.target_rate;
        }
        is_overruled_ = bps > 0;
    }

    const std::unique_ptr<webrtc::NetworkControllerInterface> inner_;
    const std::shared_ptr<LegCongestion> leg_;
    int32_t next_probe_ = kFirstProbeId;
    /// What congestion control last said.
    Update wanted_;
    bool is_overruled_ = false;
};

class WatchedControllerFactory final : public webrtc::NetworkControllerFactoryInterface {
public:
    std::unique_ptr<webrtc::NetworkControllerInterface> Create(
        webrtc::NetworkControllerConfig config) override {
        auto leg = WiringOf(config.event_log).congestion;
        auto inner = inner_.Create(std::move(config));
        if (!leg) return inner;
        return std::make_unique<WatchedController>(std::move(inner), std::move(leg));
    }
    webrtc::TimeDelta GetProcessInterval() const override { return inner_.GetProcessInterval(); }

private:
    webrtc::GoogCcNetworkControllerFactory inner_;
};

}  // namespace

std::optional<int64_t> LegCongestion::estimate() const {
    const int64_t bps = estimate_bps_.load(std::memory_order_relaxed);
    return bps < 0 ? std::nullopt : std::optional(bps);
}

void LegCongestion::Probe(int64_t bitrate) {
    probe_bps_.store(bitrate, std::memory_order_relaxed);
}

void LegCongestion::Saturate(int64_t bitrate) {
    saturation_bps_.store(bitrate, std::memory_order_relaxed);
}

int64_t LegCongestion::saturation() const {
    return saturation_bps_.load(std::memory_order_relaxed);
}

std::optional<PathSecond> LegCongestion::TakePath() {
    std::lock_guard<std::mutex> lock(mutex_);
    Note(timing_.EndSecond());
    return std::exchange(path_, std::nullopt);
}

void LegCongestion::OnPacket(int64_t sent_us, int64_t arrival_us, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    Note(timing_.OnPacket(sent_us, arrival_us, bytes));
}

void LegCongestion::OnRouteChange() {
    std::lock_guard<std::mutex> lock(mutex_);
    timing_ = PathTiming();
    path_.reset();
}

void LegCongestion::Note(const std::optional<PathSecond>& second) {
    if (!second) return;
    const PathSecond old = path_.value_or(PathSecond{});
    path_ = PathSecond{std::max(old.capacity_bound_bps, second->capacity_bound_bps),
                       std::max(old.sustained_delay_us, second->sustained_delay_us),
                       std::max(old.delay_spread_us, second->delay_spread_us)};
}

void LegCongestion::OnEstimate(int64_t bps) {
    estimate_bps_.store(bps, std::memory_order_relaxed);
}

int64_t LegCongestion::TakeProbe() {
    return probe_bps_.exchange(0, std::memory_order_relaxed);
}

std::unique_ptr<webrtc::NetworkControllerFactoryInterface> CreateWatchedCongestionControl() {
    return std::make_unique<WatchedControllerFactory>();
}

}  // namespace sightline
