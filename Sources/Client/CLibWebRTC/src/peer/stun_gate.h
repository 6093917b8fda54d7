// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_PEER_STUN_GATE_H_
#define SIGHTLINE_PEER_STUN_GATE_H_

#include <cstddef>
#include <memory>

#include "rtc_base/async_packet_socket.h"
#include "rtc_base/third_party/sigslot/sigslot.h"

namespace sightline {

/// Whether a datagram may reach libwebrtc: anything but STUN on whose attributes it aborts, which everyone can send who has
/// the password of the session's ICE.
bool AdmitsDatagram(const char* data, size_t size);

/// A UDP socket that drops what `AdmitsDatagram` does not admit. Lives on the network thread.
class StunGatedSocket final : public rtc::AsyncPacketSocket {
public:
    explicit StunGatedSocket(std::unique_ptr<rtc::AsyncPacketSocket> inner);
    ~StunGatedSocket() override;

    rtc::SocketAddress GetLocalAddress() const override { return inner_->GetLocalAddress(); }
    rtc::SocketAddress GetRemoteAddress() const override { return inner_->GetRemoteAddress(); }
    int Send(const void* data, size_t size, const rtc::PacketOptions& options) override {
        return inner_->Send(data, size, options);
    }
    int SendTo(const void* data, size_t size, const rtc::SocketAddress& to,
               const rtc::PacketOptions& options) override {
        return inner_->SendTo(data, size, to, options);
    }
    int Close() override { return inner_->Close(); }
    State GetState() const override { return inner_->GetState(); }
    int GetOption(rtc::Socket::Option option, int* value) override {
        return inner_->GetOption(option, value);
    }
    int SetOption(rtc::Socket::Option option, int value) override { return inner_->SetOption(option, value); }
    int GetError() const override { return inner_->GetError(); }
    void SetError(int error) override { inner_->SetError(error); }

private:
    void OnRead(rtc::AsyncPacketSocket*, const char* data, size_t size, const rtc::SocketAddress& from,
                const int64_t& time_us) {
        if (AdmitsDatagram(data, size)) SignalReadPacket(this, data, size, from, time_us);
    }
    void OnSent(rtc::AsyncPacketSocket*, const rtc::SentPacket& packet) { SignalSentPacket(this, packet); }
    void OnReadyToSend(rtc::AsyncPacketSocket*) { SignalReadyToSend(this); }
    void OnAddressReady(rtc::AsyncPacketSocket*, const rtc::SocketAddress& address) {
        SignalAddressReady(this, address);
    }
    void OnConnect(rtc::AsyncPacketSocket*) { SignalConnect(this); }

    const std::unique_ptr<rtc::AsyncPacketSocket> inner_;
};

}  // namespace sightline

#endif  // SIGHTLINE_PEER_STUN_GATE_H_
