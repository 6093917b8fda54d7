// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_PEER_DATAGRAM_GATE_H_
#define SIGHTLINE_PEER_DATAGRAM_GATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "rtc_base/socket_address.h"

namespace sightline {

/// What a peer connection's datagrams are for.
enum class DatagramUse { kMedia, kMediaAndData };

/// Decides which datagrams of one socket reach libwebrtc. Pure: time comes in, in ms.
///
/// It keeps back what the other end, which has the session's password of ICE and its keys, could end the process or fill the
/// network thread with: STUN whose attributes libwebrtc aborts on, records of DTLS that make OpenSSL's wrapper abort, checks from
/// ever new addresses, of which libwebrtc makes a path each, and SSRCs without number, which libsrtp keeps in a list that it walks
/// for each packet.
class DatagramGate {
public:
    /// From how many addresses checks are answered at a time.
    static constexpr size_t kMostAddresses = 32;
    /// As long as libwebrtc keeps a path by which nothing comes (`connection.cc`).
    static constexpr int64_t kAddressKeptMs = 30'000;
    /// How many SSRCs there may be, and after what time one more.
    static constexpr size_t kMostSources = 64;
    static constexpr int64_t kOneMoreSourceMs = 10'000;

    DatagramGate(DatagramUse use, int64_t now_ms) : use_(use), made_ms_(now_ms) {}

    /// Whether a datagram may pass.
    bool Admit(const char* data, size_t size, const rtc::SocketAddress& from, int64_t now_ms);
    /// What is sent shows who has the password: others are answered with errors.
    void OnSent(const char* data, size_t size, const rtc::SocketAddress& to, int64_t now_ms);

private:
    using Times = std::map<rtc::SocketAddress, int64_t>;

    /// Whether what it is may pass, whatever came before.
    bool AdmitsContent(const char* data, size_t size) const;
    /// The same of what a TURN server passes on for others; one in another no one reads.
    bool AdmitsPassedOn(const char* data, size_t size) const;
    bool AdmitsRecords(const char* data, size_t size) const;
    bool AdmitsRecord(uint8_t type, uint16_t epoch) const;
    bool AdmitsCheck(const rtc::SocketAddress& from, int64_t now_ms);
    bool AdmitsSource(uint32_t source, int64_t now_ms);

    const DatagramUse use_;
    const int64_t made_ms_;
    /// Where something was sent to that is no error, and when last.
    Times peers_;
    /// Where checks were answered to, with the right password, and when last.
    Times answered_;
    std::set<uint32_t> sources_;
};

}  // namespace sightline

#endif  // SIGHTLINE_PEER_DATAGRAM_GATE_H_
