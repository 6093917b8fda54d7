// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "peer/socket_wrapper.h"

#include <openssl/err.h>

#include <utility>

namespace sightline {

SocketWrapper::SocketWrapper(std::unique_ptr<rtc::AsyncPacketSocket> inner) : inner_(std::move(inner)) {
    inner_->SignalReadPacket.connect(this, &SocketWrapper::OnRead);
    inner_->SignalSentPacket.connect(this, &SocketWrapper::OnSent);
    inner_->SignalReadyToSend.connect(this, &SocketWrapper::OnReadyToSend);
    inner_->SignalAddressReady.connect(this, &SocketWrapper::OnAddressReady);
    inner_->SignalConnect.connect(this, &SocketWrapper::OnConnect);
    inner_->SubscribeClose(this, [this](rtc::AsyncPacketSocket*, int error) { NotifyClosed(error); });
}

SocketWrapper::~SocketWrapper() {
    inner_->UnsubscribeClose(this);
}

void SocketWrapper::Deliver(const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us) {
    // OpenSSL keeps errors by thread, and all connections share one: what another one has left behind would be taken for an error
    // of the one that reads this, and end it.
    ERR_clear_error();
    SignalReadPacket(this, data, size, from, time_us);
}

}  // namespace sightline
