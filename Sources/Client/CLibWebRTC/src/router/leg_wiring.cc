// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/leg_wiring.h"

#include "api/rtc_event_log/rtc_event.h"

namespace sightline {

namespace {

class LegEventLog final : public webrtc::RtcEventLog {
public:
    explicit LegEventLog(std::shared_ptr<const LegWiring> leg) : leg_(std::move(leg)) {}
    bool StartLogging(std::unique_ptr<webrtc::RtcEventLogOutput>, int64_t) override { return false; }
    void StopLogging() override {}
    void Log(std::unique_ptr<webrtc::RtcEvent>) override {}
    const std::shared_ptr<const LegWiring>& leg() const { return leg_; }

private:
    const std::shared_ptr<const LegWiring> leg_;
};

class LegEventLogs final : public webrtc::RtcEventLogFactoryInterface {
public:
    explicit LegEventLogs(std::shared_ptr<LegRegistry> registry) : registry_(std::move(registry)) {}
    std::unique_ptr<webrtc::RtcEventLog> Create(webrtc::RtcEventLog::EncodingType) const override {
        return std::make_unique<LegEventLog>(registry_->current());
    }
    std::unique_ptr<webrtc::RtcEventLog> CreateRtcEventLog(webrtc::RtcEventLog::EncodingType type) override {
        return Create(type);
    }

private:
    const std::shared_ptr<LegRegistry> registry_;
};

}  // namespace

LegWiring WiringOf(const webrtc::RtcEventLog* log) {
    const auto* known = dynamic_cast<const LegEventLog*>(log);
    return known != nullptr && known->leg() ? *known->leg() : LegWiring{};
}

void LegRegistry::Set(std::shared_ptr<const LegWiring> leg) {
    std::lock_guard<std::mutex> lock(mutex_);
    current_ = std::move(leg);
}

std::shared_ptr<const LegWiring> LegRegistry::current() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return current_;
}

std::unique_ptr<webrtc::RtcEventLogFactoryInterface> CreateLegEventLogs(
    std::shared_ptr<LegRegistry> registry) {
    return std::make_unique<LegEventLogs>(std::move(registry));
}

}  // namespace sightline
