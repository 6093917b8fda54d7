// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_SDP_H_
#define SIGHTLINE_ROUTER_SDP_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "router/candidates.h"
#include "router/sdp_text.h"

/// Session descriptions as the router sees them: pure functions from text to text, no engine behind them.
///
/// libwebrtc receives no rid simulcast on one m-line. The router therefore shows it each rid as an m-line of
/// its own: mid = rid, and the rid header extension declared as the mid extension, so that its demultiplexer
/// takes the rids on the wire for mids. The answer is folded back into the one m-line the publisher offered.
///
/// Whatever a client sends is read by a whitelist: attributes, codecs and header extensions that the router
/// does not know never reach libwebrtc, which aborts the process on some of what it does not expect.
namespace sightline {

struct SdpLimits {
    size_t max_bytes = 64 * 1024;
    size_t max_lines = 2000;
    size_t max_line_bytes = 2048;
    size_t max_sections = 3;
    size_t max_candidates = 64;
    size_t max_layers = 4;
    size_t max_payload_types = 64;
    size_t max_extensions = 24;
    size_t max_sources = 16;
    /// The mid and rid header extensions carry at most 16 bytes.
    size_t max_identifier_bytes = 16;
    CandidateRule candidates;
};

/// The one video codec of a stream. Its format has to be the same on every leg: nothing is transcoded.
struct RouterVideoCodec {
    /// "VP8" or "H264".
    std::string name;
    /// The profile's name ("constrained-baseline", ...); empty for VP8. Profiles must agree, levels need not.
    std::string h264_profile;

    bool operator==(const RouterVideoCodec&) const = default;
};

/// Which original section a section of the router's view stands for.
struct SectionMapping {
    std::string original_mid;
    int original_index = 0;
    std::string view_mid;
    /// The header extensions that the engine is shown.
    std::vector<ExtensionLine> extensions = {};
};

/// How to get from the router's view of an offer back to the client's.
struct SdpView {
    std::vector<SectionMapping> sections;
    /// Empty without simulcast; else in the order of the offer.
    std::vector<std::string> rids;
    std::string video_mid;
    /// 0 when the offer does not declare the extension.
    int mid_extension = 0;
    int rid_extension = 0;

    bool is_simulcast() const { return !rids.empty(); }
};

/// An offer that was accepted for a leg.
struct RouterOffer {
    /// Without candidates.
    std::string sdp;
    SdpView view;
    /// The usable candidates of its one transport.
    std::vector<CandidateReading> candidates;
    /// The section, in the client's terms, that the transport is named after; empty if all are rejected.
    std::string transport_mid;
    /// The transport's ICE user fragment and password.
    std::string credentials;
    bool has_audio = false;
    bool has_video = false;
    /// `nullopt` without video.
    std::optional<RouterVideoCodec> video_codec;
};

enum class SdpProblem {
    kNone = 0,
    /// Not a session description within the limits that the router can read.
    kMalformed = 1,
    /// Well-formed, but asks for something the router does not do.
    kUnsupported = 2,
    /// The codec is not one that the router forwards, or not the stream's.
    kCodec = 3,
};

struct SdpReading {
    SdpProblem problem = SdpProblem::kNone;
    /// One sentence for the client; empty without a problem.
    std::string message;
    RouterOffer offer;

    bool ok() const { return problem == SdpProblem::kNone; }
};

/// `required_codec`: the codec the stream already has, because others watch it; `nullopt` lets the first
/// codec of the offer win that the router can forward.
SdpReading ReadPublisherOffer(std::string_view offer, const std::optional<RouterVideoCodec>& required_codec,
                                    const SdpLimits& limits = {});

/// `stream_codec`: what the stream's publisher sends, `nullopt` when it sends no video. Offered video is then
/// answered as inactive. Video without that codec is rejected (port 0); the offer is refused if it asks for
/// no audio, or if its BUNDLE group begins with that video.
SdpReading ReadSubscriberOffer(std::string_view offer, const std::optional<RouterVideoCodec>& stream_codec,
                                     const SdpLimits& limits = {});

/// The answer to `view`, as the answer to the client's own offer.
std::string FoldAnswer(std::string_view answer, const SdpView& view);

/// A candidate's mid and m-line index, from the client's numbering to the view's; `nullopt`: no such section.
/// An empty mid means that only the index counts, a negative index that only the mid does.
std::optional<SectionMapping> MapRemoteCandidate(const SdpView& view, std::string_view mid, int index);

/// And back, for a candidate that libwebrtc gathered.
std::optional<SectionMapping> MapLocalCandidate(const SdpView& view, std::string_view view_mid);

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_SDP_H_
