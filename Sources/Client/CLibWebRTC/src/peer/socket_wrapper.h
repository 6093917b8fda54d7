// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_PEER_SOCKET_WRAPPER_H_
#define SIGHTLINE_PEER_SOCKET_WRAPPER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rtc_base/async_packet_socket.h"
#include "rtc_base/third_party/sigslot/sigslot.h"

namespace sightline {

/// A UDP socket around another one, which does all that is not overridden. Lives on the network thread.
class SocketWrapper : public rtc::AsyncPacketSocket {
public:
    explicit SocketWrapper(std::unique_ptr<rtc::AsyncPacketSocket> inner);
    ~SocketWrapper() override;

    rtc::SocketAddress GetLocalAddress() const override { return inner_->GetLocalAddress(); }
    rtc::SocketAddress GetRemoteAddress() const override { return inner_->GetRemoteAddress(); }
    int Send(const void* data, size_t size, const rtc::PacketOptions& options) override {
        return SendTo(data, size, inner_->GetRemoteAddress(), options);
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

protected:
    /// A datagram has come to the inner socket.
    virtual void OnDatagram(
        const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us) = 0;
    /// A datagram has left the inner socket.
    virtual void OnLeft(const rtc::SentPacket& packet) { SignalSentPacket(this, packet); }
    /// Hands a datagram over; may destroy this socket.
    void Deliver(const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us);

private:
    void OnRead(rtc::AsyncPacketSocket*, const char* data, size_t size, const rtc::SocketAddress& from,
                const int64_t& time_us) {
        OnDatagram(data, size, from, time_us);
    }
    void OnSent(rtc::AsyncPacketSocket*, const rtc::SentPacket& packet) { OnLeft(packet); }
    void OnReadyToSend(rtc::AsyncPacketSocket*) { SignalReadyToSend(this); }
    void OnAddressReady(rtc::AsyncPacketSocket*, const rtc::SocketAddress& address) {
        SignalAddressReady(this, address);
    }
    void OnConnect(rtc::AsyncPacketSocket*) { SignalConnect(this); }

    const std::unique_ptr<rtc::AsyncPacketSocket> inner_;
};

}  // namespace sightline

#endif  // SIGHTLINE_PEER_SOCKET_WRAPPER_H_
