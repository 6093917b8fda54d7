// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/dated_reports.h"

#include <vector>

#include "modules/rtp_rtcp/source/byte_io.h"
#include "modules/rtp_rtcp/source/rtcp_packet/common_header.h"
#include "modules/rtp_rtcp/source/rtcp_packet/sender_report.h"
#include "rtc_base/time_utils.h"

namespace sightline {

namespace {

using Bytes32 = webrtc::ByteReader<uint32_t>;

// RFC 3550, 5.1 and 6.4.1: where the header of a packet and the body of a sender report have what.
constexpr size_t kRtpHeader = 12, kRtpTimestamp = 4, kRtpSsrc = 8;
constexpr size_t kReportBody = 24, kReportTimestamp = 12;

}  // namespace

bool DatedReports::SendRtp(const uint8_t* packet, size_t length, const webrtc::PacketOptions& options) {
    if (length >= kRtpHeader && Bytes32::ReadBigEndian(packet + kRtpSsrc) == ssrc_) {
        std::lock_guard<std::mutex> lock(mutex_);
        lateness_ms_ = clock_.Lateness(Bytes32::ReadBigEndian(packet + kRtpTimestamp), rtc::TimeMillis());
    }
    return transport_->SendRtp(packet, length, options);
}

bool DatedReports::SendRtcp(const uint8_t* packet, size_t length) {
    std::vector<uint8_t> dated(packet, packet + length);
    webrtc::rtcp::CommonHeader header;
    for (const uint8_t* next = packet; header.Parse(next, packet + length - next); next = header.NextPacket()) {
        if (header.type() != webrtc::rtcp::SenderReport::kPacketType || header.payload_size_bytes() < kReportBody ||
            Bytes32::ReadBigEndian(header.payload()) != ssrc_) {
            continue;
        }
        std::lock_guard<std::mutex> lock(mutex_);
        // What is dated earlier has come further by now.
        const auto further = static_cast<uint32_t>((lateness_ms_ + kDatedBackMs) * kOpusTicksPerMs);
        uint8_t* timestamp = dated.data() + (header.payload() - packet) + kReportTimestamp;
        webrtc::ByteWriter<uint32_t>::WriteBigEndian(timestamp, Bytes32::ReadBigEndian(timestamp) + further);
    }
    return transport_->SendRtcp(dated.data(), dated.size());
}

}  // namespace sightline
