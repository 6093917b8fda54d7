// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "emulation/conditioner.h"

#include <utility>

#include "emulation/conditioned_socket.h"
#include "p2p/base/basic_packet_socket_factory.h"
#include "peer/gated_socket.h"

namespace sightline {
namespace {

/// Spreads one seed over the two directions (the increment of SplitMix64).
constexpr uint64_t kSeedStep = 0x9E3779B97F4A7C15;

class ConditionedSocketFactory : public rtc::BasicPacketSocketFactory {
public:
    ConditionedSocketFactory(
        rtc::SocketFactory* sockets, std::shared_ptr<Conditioner> conditioner, Direction sending,
        DatagramUse use)
        : BasicPacketSocketFactory(sockets), conditioner_(std::move(conditioner)), sending_(sending), use_(use) {}

    rtc::AsyncPacketSocket* CreateUdpSocket(
        const rtc::SocketAddress& address, uint16_t min_port, uint16_t max_port) override {
        auto* socket = BasicPacketSocketFactory::CreateUdpSocket(address, min_port, max_port);
        if (!socket) return nullptr;
        auto gated = std::make_unique<GatedSocket>(std::unique_ptr<rtc::AsyncPacketSocket>(socket), use_);
        if (!conditioner_) return gated.release();
        return new ConditionedSocket(std::move(gated), conditioner_, sending_);
    }

private:
    const std::shared_ptr<Conditioner> conditioner_;
    const Direction sending_;
    const DatagramUse use_;
};

}  // namespace

Conditioner::Conditioner(uint64_t seed) : up_(seed + kSeedStep), down_(seed + 2 * kSeedStep) {
}

void Conditioner::Set(Direction direction, const LinkSettings& settings) {
    auto& target = link(direction);
    std::lock_guard lock(target.mutex);
    target.model.set_settings(settings);
}

LinkSettings Conditioner::settings(Direction direction) const {
    auto& source = link(direction);
    std::lock_guard lock(source.mutex);
    return source.model.settings();
}

LinkCounters Conditioner::counters(Direction direction) const {
    auto& source = link(direction);
    std::lock_guard lock(source.mutex);
    return source.model.counters();
}

Verdict Conditioner::Offer(Direction direction, size_t bytes, int64_t now_us) {
    auto& target = link(direction);
    std::lock_guard lock(target.mutex);
    if (target.under_way.load(std::memory_order_relaxed) >= kMostUnderWay) return target.model.Refuse(bytes);
    return target.model.Offer(bytes, now_us);
}

std::unique_ptr<rtc::PacketSocketFactory> CreateConditionedSocketFactory(
    rtc::SocketFactory* sockets, std::shared_ptr<Conditioner> conditioner, Direction sending,
    DatagramUse use) {
    return std::make_unique<ConditionedSocketFactory>(sockets, std::move(conditioner), sending, use);
}

}  // namespace sightline
