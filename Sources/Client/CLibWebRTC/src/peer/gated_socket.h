// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_PEER_GATED_SOCKET_H_
#define SIGHTLINE_PEER_GATED_SOCKET_H_

#include <memory>
#include <utility>

#include "peer/datagram_gate.h"
#include "peer/socket_wrapper.h"
#include "rtc_base/time_utils.h"

namespace sightline {

/// A UDP socket that drops what its `DatagramGate` does not admit.
class GatedSocket final : public SocketWrapper {
public:
    GatedSocket(std::unique_ptr<rtc::AsyncPacketSocket> inner, DatagramUse use)
        : SocketWrapper(std::move(inner)), gate_(use, rtc::TimeMillis()) {}

    int SendTo(const void* data, size_t size, const rtc::SocketAddress& to,
               const rtc::PacketOptions& options) override {
        gate_.OnSent(static_cast<const char*>(data), size, to, rtc::TimeMillis());
        return SocketWrapper::SendTo(data, size, to, options);
    }

private:
    void OnDatagram(const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us) override {
        if (gate_.Admit(data, size, from, rtc::TimeMillis())) Deliver(data, size, from, time_us);
    }

    DatagramGate gate_;
};

}  // namespace sightline

#endif  // SIGHTLINE_PEER_GATED_SOCKET_H_
