// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "peer/stun_gate.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/transport/stun.h"
#include "modules/rtp_rtcp/source/byte_io.h"
#include "rtc_base/network_constants.h"

namespace sightline {

namespace {

/// A value is followed by what fills up a word.
constexpr size_t kWord = 4;
constexpr size_t kAttributeHeader = 4;

uint16_t Read16(const char* data) {
    return webrtc::ByteReader<uint16_t>::ReadBigEndian(reinterpret_cast<const uint8_t*>(data));
}

uint32_t Read32(const char* data) {
    return webrtc::ByteReader<uint32_t>::ReadBigEndian(reinterpret_cast<const uint8_t*>(data));
}

/// Whether an attribute has a value that libwebrtc takes as it comes. Checks of its own are on in a release, too.
bool IsHarmless(uint16_t message, uint16_t type, std::string_view value) {
    switch (type) {
        case cricket::STUN_ATTR_USERNAME: {
            // Of one end, and of the other: a peer without a name ends a check (`basic_ice_controller.cc`).
            if (message != cricket::STUN_BINDING_REQUEST) return true;
            const size_t colon = value.find(':');
            return colon != std::string_view::npos && colon > 0 && colon + 1 < value.size();
        }
        case cricket::STUN_ATTR_GOOG_NETWORK_INFO:
            // Two numbers, of which the second is a cost (`candidate.h`).
            return value.size() == kWord && Read16(value.data() + 2) <= rtc::kNetworkCostMax;
        case cricket::STUN_ATTR_GOOG_MISC_INFO:
            // A list whose first entry is read whether there is one or not (`connection.cc`).
            return value.size() >= sizeof(uint16_t);
        default: return true;
    }
}

}  // namespace

bool AdmitsDatagram(const char* data, size_t size) {
    const bool is_stun = size >= cricket::kStunHeaderSize && (data[0] & 0xC0) == 0
        && Read32(data + 4) == cricket::kStunMagicCookie;
    if (!is_stun) return true;
    std::string_view rest(data + cricket::kStunHeaderSize, size - cricket::kStunHeaderSize);
    while (rest.size() >= kAttributeHeader) {
        const uint16_t type = Read16(rest.data());
        const size_t length = Read16(rest.data() + 2);
        rest.remove_prefix(kAttributeHeader);
        // Nor does libwebrtc take one that is cut off.
        if (length > rest.size() || !IsHarmless(Read16(data), type, rest.substr(0, length))) return false;
        rest.remove_prefix(std::min(rest.size(), (length + kWord - 1) / kWord * kWord));
    }
    return true;
}

StunGatedSocket::StunGatedSocket(std::unique_ptr<rtc::AsyncPacketSocket> inner) : inner_(std::move(inner)) {
    inner_->SignalReadPacket.connect(this, &StunGatedSocket::OnRead);
    inner_->SignalSentPacket.connect(this, &StunGatedSocket::OnSent);
    inner_->SignalReadyToSend.connect(this, &StunGatedSocket::OnReadyToSend);
    inner_->SignalAddressReady.connect(this, &StunGatedSocket::OnAddressReady);
    inner_->SignalConnect.connect(this, &StunGatedSocket::OnConnect);
    inner_->SubscribeClose(this, [this](rtc::AsyncPacketSocket*, int error) { NotifyClosed(error); });
}

StunGatedSocket::~StunGatedSocket() {
    inner_->UnsubscribeClose(this);
}

}  // namespace sightline
