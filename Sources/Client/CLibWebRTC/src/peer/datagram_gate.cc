// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "peer/datagram_gate.h"

#include <algorithm>
#include <string_view>

#include "api/transport/stun.h"
#include "modules/rtp_rtcp/source/byte_io.h"
#include "rtc_base/byte_buffer.h"
#include "rtc_base/network_constants.h"

namespace sightline {

namespace {

constexpr size_t kRtpHeader = 12;
constexpr size_t kChannelHeader = 4;

uint8_t ByteAt(const char* data, size_t index) {
    return static_cast<uint8_t>(data[index]);
}

uint16_t Read16(const char* data) {
    return webrtc::ByteReader<uint16_t>::ReadBigEndian(reinterpret_cast<const uint8_t*>(data));
}

uint32_t Read32(const char* data) {
    return webrtc::ByteReader<uint32_t>::ReadBigEndian(reinterpret_cast<const uint8_t*>(data));
}

// RFC 7983.

bool IsStun(const char* data, size_t size) {
    return size >= cricket::kStunHeaderSize && ByteAt(data, 0) < 64
        && Read32(data + 4) == cricket::kStunMagicCookie;
}

bool IsRecord(const char* data, size_t size) {
    return size > 0 && ByteAt(data, 0) >= 20 && ByteAt(data, 0) < 64;
}

bool IsChannel(const char* data, size_t size) {
    return size > kChannelHeader && ByteAt(data, 0) >= 64 && ByteAt(data, 0) < 80;
}

bool IsMedia(const char* data, size_t size) {
    return size >= kRtpHeader && ByteAt(data, 0) >= 128 && ByteAt(data, 0) < 192;
}

/// Of the sender of RTCP, or of the stream of RTP (RFC 5761).
uint32_t SourceOf(const char* data) {
    const uint8_t type = ByteAt(data, 1);
    return Read32(data + (type >= 192 && type < 224 ? 4 : 8));
}

/// Two names: a peer without one ends a check (`basic_ice_controller.cc`).
bool HasBothNames(const cricket::StunByteStringAttribute& username) {
    if (!username.bytes()) return false;
    const std::string_view names(username.bytes(), username.length());
    const size_t colon = names.find(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < names.size();
}

/// By libwebrtc's own reader, or it would find attributes where another one finds none: it takes four bytes for a number,
/// whatever length is written.
bool AdmitsStun(const char* data, size_t size) {
    rtc::ByteBufferReader reader(data, size);
    cricket::IceMessage message;
    // Nor does libwebrtc take what is cut off, or has something behind it.
    if (!message.Read(&reader) || reader.Length() > 0) return false;
    if (message.type() == cricket::STUN_BINDING_REQUEST) {
        const auto* username = message.GetByteString(cricket::STUN_ATTR_USERNAME);
        if (username && !HasBothNames(*username)) return false;
    }
    // Two numbers, of which the second is a cost that is held against its bound (`candidate.h`).
    const auto* network = message.GetUInt32(cricket::STUN_ATTR_GOOG_NETWORK_INFO);
    if (network && (network->value() & 0xFFFF) > rtc::kNetworkCostMax) return false;
    // A list whose first entry is read whether there is one or not (`connection.cc`).
    const auto* misc = message.GetUInt16List(cricket::STUN_ATTR_GOOG_MISC_INFO);
    return !misc || misc->Size() > 0;
}

void Forget(std::map<rtc::SocketAddress, int64_t>& times, int64_t before_ms) {
    std::erase_if(times, [before_ms](const auto& entry) { return entry.second < before_ms; });
}

}  // namespace

bool DatagramGate::Admit(const char* data, size_t size, const rtc::SocketAddress& from, int64_t now_ms) {
    if (!AdmitsContent(data, size)) return false;
    if (IsStun(data, size)) {
        return Read16(data) != cricket::STUN_BINDING_REQUEST || AdmitsCheck(from, now_ms);
    }
    return !IsMedia(data, size) || (peers_.contains(from) && AdmitsSource(SourceOf(data), now_ms));
}

void DatagramGate::OnSent(const char* data, size_t size, const rtc::SocketAddress& to, int64_t now_ms) {
    const uint16_t type = IsStun(data, size) ? Read16(data) : 0;
    if (type == cricket::STUN_BINDING_ERROR_RESPONSE) return;
    if (type == cricket::STUN_BINDING_RESPONSE) answered_[to] = now_ms;
    // Those that are in use hear of this end every few seconds.
    if (peers_.size() > 4 * kMostAddresses) Forget(peers_, now_ms - kAddressKeptMs);
    peers_[to] = now_ms;
}

bool DatagramGate::AdmitsContent(const char* data, size_t size) const {
    // The router uses no TURN server.
    if (use_ == DatagramUse::kMediaAndData) {
        if (IsChannel(data, size)) return AdmitsPassedOn(data + kChannelHeader, size - kChannelHeader);
        if (IsStun(data, size) && Read16(data) == cricket::TURN_DATA_INDICATION) {
            cricket::TurnMessage message;
            rtc::ByteBufferReader reader(data, size);
            if (!message.Read(&reader)) return false;
            const auto* inside = message.GetByteString(cricket::STUN_ATTR_DATA);
            return !inside || !inside->bytes() || AdmitsPassedOn(inside->bytes(), inside->length());
        }
    }
    return AdmitsPassedOn(data, size);
}

bool DatagramGate::AdmitsPassedOn(const char* data, size_t size) const {
    if (IsStun(data, size)) return AdmitsStun(data, size);
    return !IsRecord(data, size) || AdmitsRecords(data, size);
}

bool DatagramGate::AdmitsRecords(const char* data, size_t size) const {
    constexpr size_t kHeader = 13;
    std::string_view rest(data, size);
    while (rest.size() >= kHeader) {
        if (!AdmitsRecord(ByteAt(rest.data(), 0), Read16(rest.data() + 3))) return false;
        rest.remove_prefix(std::min(rest.size(), kHeader + Read16(rest.data() + 11)));
    }
    return true;
}

/// What comes in the new epoch before a handshake is over is kept by OpenSSL, data and alerts alike, and read after it by a wrapper
/// that takes all of it for data, and aborts where there is less (`openssl_stream_adapter.cc`, `FlushInput`). So there are either
/// data, or alerts: only a data channel needs the first, and it does without the second.
bool DatagramGate::AdmitsRecord(uint8_t type, uint16_t epoch) const {
    constexpr uint8_t kHandshake = 22, kData = 23;
    if (type == kHandshake) return true;
    if (use_ == DatagramUse::kMedia) return type != kData;
    return type == kData ? epoch > 0 : epoch == 0;
}

bool DatagramGate::AdmitsCheck(const rtc::SocketAddress& from, int64_t now_ms) {
    if (answered_.size() < kMostAddresses || answered_.contains(from)) return true;
    Forget(answered_, now_ms - kAddressKeptMs);
    return answered_.size() < kMostAddresses;
}

bool DatagramGate::AdmitsSource(uint32_t source, int64_t now_ms) {
    if (sources_.contains(source)) return true;
    const auto more = static_cast<size_t>(std::max<int64_t>(0, now_ms - made_ms_) / kOneMoreSourceMs);
    if (sources_.size() >= kMostSources + more) return false;
    sources_.insert(source);
    return true;
}

}  // namespace sightline
