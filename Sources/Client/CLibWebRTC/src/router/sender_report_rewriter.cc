// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/sender_report_rewriter.h"

#include <vector>

#include "modules/rtp_rtcp/source/byte_io.h"
#include "modules/rtp_rtcp/source/rtcp_packet/common_header.h"
#include "modules/rtp_rtcp/source/rtcp_packet/sender_report.h"

namespace sightline {

namespace {

using Read32 = webrtc::ByteReader<uint32_t>;
using Write32 = webrtc::ByteWriter<uint32_t>;

// RFC 3550, 5.1 and 6.4.1: where the header of a packet and the body of a sender report have what.
constexpr size_t kRtpHeader = 12, kRtpTimestamp = 4, kRtpSsrc = 8;
constexpr size_t kReportBody = 24, kReportTimestamp = 12;

}  // namespace

bool SenderReportRewriter::SendRtp(
    const uint8_t* packet, size_t length, const webrtc::PacketOptions& options) {
    // What is sent again is older than it seems.
    if (!options.is_retransmit && length >= kRtpHeader && Read32::ReadBigEndian(packet + kRtpSsrc) == ssrc_) {
        std::lock_guard<std::mutex> lock(mutex_);
        lateness_ms_ = baseline_.Lateness(Read32::ReadBigEndian(packet + kRtpTimestamp), clock_->TimeInMilliseconds());
    }
    return transport_->SendRtp(packet, length, options);
}

bool SenderReportRewriter::SendRtcp(const uint8_t* packet, size_t length) {
    std::vector<uint8_t> rewritten;
    webrtc::rtcp::CommonHeader header;
    const uint8_t* const end = packet + length;
    for (const uint8_t* next = packet; next != end && header.Parse(next, end - next); next = header.NextPacket()) {
        if (header.type() != webrtc::rtcp::SenderReport::kPacketType || header.payload_size_bytes() < kReportBody ||
            Read32::ReadBigEndian(header.payload()) != ssrc_) {
            continue;
        }
        if (rewritten.empty()) rewritten.assign(packet, end);
        std::lock_guard<std::mutex> lock(mutex_);
        // What was captured earlier has come further by now.
        const auto further = static_cast<uint32_t>((lateness_ms_ + kCaptureMarginMs) * kOpusTicksPerMs);
        uint8_t* timestamp = rewritten.data() + (header.payload() - packet) + kReportTimestamp;
        Write32::WriteBigEndian(timestamp, Read32::ReadBigEndian(timestamp) + further);
    }
    return rewritten.empty() ? transport_->SendRtcp(packet, length)
                             : transport_->SendRtcp(rewritten.data(), rewritten.size());
}

}  // namespace sightline
