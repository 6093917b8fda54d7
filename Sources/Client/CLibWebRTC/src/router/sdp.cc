// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/sdp.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "api/video_codecs/h264_profile_level_id.h"
#include "router/sdp_media.h"
#include "router/sdp_text.h"

namespace sightline {

namespace {

enum class LegRole { kPublisher, kSubscriber };

constexpr int kLargestOneByteExtension = 14;
constexpr std::string_view kBundle = "a=group:BUNDLE ";

// As the codecs' registrations spell them; statistics repeat it.
std::string CanonicalName(const std::string& lowercase) {
    if (lowercase == "vp8") return "VP8";
    if (lowercase == "h264") return "H264";
    return lowercase;
}

std::string H264ProfileName(const std::string& profile_level_id) {
    const auto parsed = webrtc::ParseH264ProfileLevelId(profile_level_id.c_str());
    if (!parsed) return "";
    switch (parsed->profile) {
        case webrtc::H264Profile::kProfileConstrainedBaseline: return "constrained-baseline";
        case webrtc::H264Profile::kProfileBaseline: return "baseline";
        case webrtc::H264Profile::kProfileMain: return "main";
        case webrtc::H264Profile::kProfileConstrainedHigh: return "constrained-high";
        case webrtc::H264Profile::kProfileHigh: return "high";
        default: return "";
    }
}

// A source (SSRC) is a 32-bit number other than 0.
bool IsSource(const std::string& text) {
    constexpr size_t kMaxDigits = 10;
    if (text.empty() || text.size() > kMaxDigits) return false;
    if (text.find_first_not_of("0123456789") != std::string::npos) return false;
    const unsigned long long number = std::stoull(text);
    return number > 0 && number <= UINT32_MAX;
}

// As numbers are written, so that no two names stand for one source; as it is if it is none.
std::string CanonicalSource(const std::string& text) {
    return IsSource(text) ? std::to_string(std::stoull(text)) : text;
}

// Whether a line begins as one of `kept`, and says what it may.
bool IsKept(const std::string& line, std::span<const std::string_view> kept) {
    // libwebrtc aborts on the fourth that there is, `holdconn`.
    constexpr std::array<std::string_view, 3> kSetups = {"a=setup:actpass", "a=setup:active", "a=setup:passive"};
    RequireWellFormed(!line.starts_with("a=setup:") || std::ranges::find(kSetups, line) != kSetups.end(),
                      "a=setup must be actpass, active or passive");
    return std::ranges::any_of(kept, [&](std::string_view start) { return line.starts_with(start); });
}

// Writes the router's view of an offer.
class ViewWriter {
public:
    ViewWriter(LegRole role, const SdpText& text, std::vector<OfferedMedia> medias, const SdpLimits& limits)
        : role_(role), text_(text), medias_(std::move(medias)), limits_(limits) {}

    RouterOffer Write(const std::optional<RouterVideoCodec>& codec);

private:
    void RejectUndecodable();
    void PlanView();
    std::string ViewMid(const OfferedMedia& media) const;
    void WriteSession();
    void WriteMedia(const OfferedMedia& media, int index);
    void WriteSection(const OfferedMedia& media, int index, const std::string& mid, const std::string& track);
    void WriteRejected(const OfferedMedia& media, int index);
    void WriteTransport(const OfferedMedia& media, std::vector<std::string>& out) const;
    void ReadTransport(const OfferedMedia& media);
    void WriteExtensions(const OfferedMedia& media, std::vector<std::string>& out);
    void WriteSources(const OfferedMedia& media, std::vector<std::string>& out);
    std::vector<PayloadType> ChooseAudio(const OfferedMedia& media) const;
    const PayloadType* FindVideo(const OfferedMedia& media) const;
    std::vector<PayloadType> ChooseVideo(const OfferedMedia& media);
    [[noreturn]] void RefuseCodec() const;
    std::string Direction(const OfferedMedia& media) const;
    bool IsActive(const OfferedMedia& media) const { return Direction(media) != "a=inactive"; }
    bool IsSimulcast(const OfferedMedia& media) const {
        return media.kind == "video" && offer_.view.is_simulcast();
    }

    const LegRole role_;
    const SdpText& text_;
    std::vector<OfferedMedia> medias_;
    const SdpLimits& limits_;
    std::optional<RouterVideoCodec> codec_;
    RouterOffer offer_;
    SdpText out_;
    std::set<std::string> sources_;
};

RouterOffer ViewWriter::Write(const std::optional<RouterVideoCodec>& codec) {
    codec_ = codec;
    if (role_ == LegRole::kSubscriber) RejectUndecodable();
    PlanView();
    WriteSession();
    for (size_t i = 0; i < medias_.size(); ++i) WriteMedia(medias_[i], static_cast<int>(i));
    const auto shared = std::ranges::find_if(
        medias_, [](const OfferedMedia& media) { return media.IsMedia() && !media.rejected; });
    // libwebrtc would find out in the middle of it.
    if (shared == medias_.end()) Refuse(SdpProblem::kUnsupported, "the offer rejects all of its m-lines");
    ReadTransport(*shared);
    if (!offer_.has_audio && !offer_.has_video && role_ == LegRole::kPublisher) {
        Refuse(SdpProblem::kUnsupported, "the offer sends neither audio nor video");
    }
    std::string bundle = "a=group:BUNDLE";
    for (const SectionMapping& section : offer_.view.sections) {
        const OfferedMedia& media = medias_[section.original_index];
        if (media.IsMedia() && !media.rejected) bundle += " " + section.view_mid;
    }
    out_.session.push_back(bundle);
    offer_.sdp = out_.Render();
    return std::move(offer_);
}

// A subscriber that cannot decode the stream's video still gets its audio, if it wants that.
void ViewWriter::RejectUndecodable() {
    const std::vector<std::string> group = SplitWords(ValueOf(text_.session, kBundle).value_or(""));
    bool has_audio = false;
    bool is_undecodable = false;
    for (OfferedMedia& media : medias_) {
        if (media.rejected) continue;
        has_audio |= media.kind == "audio" && IsActive(media);
        if (media.kind != "video" || FindVideo(media)) continue;
        // The transport of all is named after the first of the group, which cannot be rejected for that.
        if (!group.empty() && group.front() == media.mid) RefuseCodec();
        media.rejected = is_undecodable = true;
    }
    if (is_undecodable && !has_audio) RefuseCodec();
}

void ViewWriter::PlanView() {
    for (const OfferedMedia& media : medias_) {
        if (offer_.view.mid_extension == 0) offer_.view.mid_extension = media.Extension(kMidExtension);
        if (role_ != LegRole::kPublisher || media.rids.empty() || media.rejected) continue;
        offer_.view.rids = media.rids;
        offer_.view.video_mid = media.mid;
        offer_.view.rid_extension = media.Extension(kRidExtension);
        if (offer_.view.rid_extension < 1 || offer_.view.rid_extension > kLargestOneByteExtension) {
            Refuse(SdpProblem::kUnsupported, "simulcast needs the rtp-stream-id header extension");
        }
    }
}

std::string ViewWriter::ViewMid(const OfferedMedia& media) const {
    // On the wire a rid is taken for a mid, so no other section may be called like a rid. "!" occurs in no
    // rid.
    const auto& rids = offer_.view.rids;
    return std::ranges::find(rids, media.mid) == rids.end() ? media.mid : "!" + media.mid.substr(0, 15);
}

void ViewWriter::WriteSession() {
    constexpr std::array<std::string_view, 8> kKept = {
        "v=", "o=", "s=", "t=", "a=ice-", "a=fingerprint:", "a=setup:", "a=extmap-allow-mixed"};
    for (const std::string& line : text_.session) {
        if (IsKept(line, kKept)) out_.session.push_back(line);
    }
}

void ViewWriter::WriteMedia(const OfferedMedia& media, int index) {
    if (!media.IsMedia() || media.rejected) {
        WriteRejected(media, index);
    } else if (IsSimulcast(media)) {
        for (const std::string& rid : media.rids) WriteSection(media, index, rid, "layer-" + rid);
    } else {
        WriteSection(media, index, ViewMid(media), media.kind);
    }
}

void ViewWriter::WriteRejected(const OfferedMedia& media, int index) {
    const std::string mid = ViewMid(media);
    offer_.view.sections.push_back({media.mid, index, mid});
    const std::string format = media.IsMedia() ? "0" : "webrtc-datachannel";
    const std::string protocol = media.IsMedia() ? "UDP/TLS/RTP/SAVPF" : "UDP/DTLS/SCTP";
    SdpSection section{{"m=" + media.kind + " 0 " + protocol + " " + format, "c=IN IP4 0.0.0.0",
                        "a=mid:" + mid, "a=inactive"}};
    if (!media.IsMedia()) section.lines.push_back("a=sctp-port:5000");
    out_.sections.push_back(std::move(section));
}

std::string ViewWriter::Direction(const OfferedMedia& media) const {
    const bool sends = !media.Has("a=recvonly") && !media.Has("a=inactive");
    const bool receives = !media.Has("a=sendonly") && !media.Has("a=inactive");
    if (role_ == LegRole::kPublisher) return sends ? "a=sendonly" : "a=inactive";
    const bool available = media.kind != "video" || codec_.has_value();
    return receives && available ? "a=recvonly" : "a=inactive";
}

void ViewWriter::WriteSection(
    const OfferedMedia& media, int index, const std::string& mid, const std::string& track) {
    offer_.view.sections.push_back({media.mid, index, mid});
    const std::vector<PayloadType> types = media.kind == "audio" ? ChooseAudio(media) : ChooseVideo(media);
    SdpSection section;
    std::vector<std::string>& out = section.lines;
    out = {"m=" + media.kind + " 9 UDP/TLS/RTP/SAVPF", "c=IN IP4 0.0.0.0", "a=mid:" + mid, Direction(media)};
    for (const PayloadType& type : types) out[0] += " " + std::to_string(type.number);
    WriteTransport(media, out);
    WriteExtensions(media, out);
    if (role_ == LegRole::kPublisher && IsActive(media)) out.push_back("a=msid:stream " + track);
    for (const PayloadType& type : types) {
        const std::string number = std::to_string(type.number);
        out.push_back("a=rtpmap:" + number + " " + CanonicalName(type.name) + "/" + type.clock);
        std::string parameters;
        for (const auto& [name, value] : type.parameters) {
            parameters += (parameters.empty() ? "" : ";") + name + "=" + value;
        }
        if (!parameters.empty()) out.push_back("a=fmtp:" + number + " " + parameters);
        for (const char* feedback : {"nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"}) {
            const std::string suffix = std::string(" ") + feedback;
            if (media.Has("a=rtcp-fb:" + number + suffix) || media.Has("a=rtcp-fb:*" + suffix)) {
                out.push_back("a=rtcp-fb:" + number + suffix);
            }
        }
    }
    WriteSources(media, out);
    const bool active = IsActive(media);
    (media.kind == "audio" ? offer_.has_audio : offer_.has_video) |= active;
    if (media.kind == "video" && active) offer_.video_codec = codec_;
    out_.sections.push_back(std::move(section));
}

void ViewWriter::WriteTransport(const OfferedMedia& media, std::vector<std::string>& out) const {
    constexpr std::array<std::string_view, 6> kKept = {"a=ice-",     "a=fingerprint:", "a=setup:",
                                                       "a=rtcp-mux", "a=rtcp-rsize",   "a=bundle-only"};
    for (const std::string& line : media.section->lines) {
        if (IsKept(line, kKept)) out.push_back(line);
    }
}

// All sections share the transport of the first that is not rejected.
void ViewWriter::ReadTransport(const OfferedMedia& media) {
    offer_.transport_mid = media.mid;
    size_t candidates = 0;
    for (const std::string& line : media.section->lines) {
        if (!line.starts_with("a=candidate:") || ++candidates > limits_.max_candidates) continue;
        CandidateReading reading = ReadCandidate(line, limits_.candidates);
        if (reading.outcome != CandidateReading::Outcome::kUsable) continue;
        offer_.candidates.push_back(std::move(reading));
    }
    // Those of any other length end the engine's peer connection, even one that carries media.
    constexpr std::array<std::pair<const char*, size_t>, 2> kShortest = {
        {{"a=ice-ufrag:", 4}, {"a=ice-pwd:", 22}}};
    constexpr size_t kLongest = 256;
    for (const auto& [name, shortest] : kShortest) {
        auto value = ValueOf(media.section->lines, name);
        if (!value) value = ValueOf(text_.session, name);
        for (const auto* lines : {&media.section->lines, &text_.session}) {
            const auto count = std::ranges::count_if(
                *lines, [&](const std::string& line) { return line.starts_with(name); });
            RequireWellFormed(count <= 1, "the ICE credentials are there twice");
        }
        RequireWellFormed(!value || (value->size() >= shortest && value->size() <= kLongest),
                          "the ICE credentials are too short or too long");
        offer_.credentials += value.value_or("") + " ";
    }
}

void ViewWriter::WriteExtensions(const OfferedMedia& media, std::vector<std::string>& out) {
    // Not on subscriber legs: the audio level, because it would be computed from samples that are tokens; the
    // video's layer structures, because they describe what the publisher sent. Never the transmission time offset: padding has
    // no capture time, and libwebrtc aborts on the offset that this makes.
    constexpr std::string_view kFeedbackExtension =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
    constexpr std::array<std::string_view, 3> kBoth = {
        "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time", kFeedbackExtension,
        "urn:3gpp:video-orientation"};
    constexpr std::string_view kAudioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level";
    const SdpView& view = offer_.view;
    std::vector<ExtensionLine>& written = offer_.view.sections.back().extensions;
    for (const ExtensionLine& extension : media.extensions) {
        if (extension.id < 1 || extension.id > kLargestOneByteExtension) continue;
        const bool kept = std::ranges::find(kBoth, extension.uri) != kBoth.end()
            || (extension.uri == kAudioLevel && role_ == LegRole::kPublisher)
            || (extension.uri == kMidExtension && !view.is_simulcast());
        // One that an m-line has twice is known by its first id.
        if (kept && std::ranges::find(written, extension.uri, &ExtensionLine::uri) == written.end()) {
            written.push_back(extension);
        }
    }
    if (role_ == LegRole::kPublisher && media.kind == "video" && IsActive(media)
        && std::ranges::find(written, kFeedbackExtension, &ExtensionLine::uri) == written.end()) {
        Refuse(SdpProblem::kUnsupported, "video needs the transport-wide-cc header extension, with an id of 1 to 14");
    }
    if (view.is_simulcast()) written.push_back({view.rid_extension, std::string(kMidExtension)});
    for (const ExtensionLine& extension : written) out.push_back(extension.Render());
}

void ViewWriter::WriteSources(const OfferedMedia& media, std::vector<std::string>& out) {
    if (role_ != LegRole::kPublisher || IsSimulcast(media) || !IsActive(media)) return;
    constexpr std::string_view kPair = "a=ssrc-group:FID ";
    std::vector<std::string> sources;
    std::string group;
    for (const std::string& line : media.section->lines) {
        if (line.starts_with(kPair)) group = line;
        if (line.starts_with("a=ssrc-group:SIM")) {
            Refuse(SdpProblem::kUnsupported, "simulcast must use rids (a=simulcast), not SSRC groups");
        }
        if (!line.starts_with("a=ssrc:")) continue;
        const std::string source = CanonicalSource(line.substr(7, line.find(' ') - 7));
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
    RequireWellFormed(sources.size() <= limits_.max_sources, "too many media sources");
    std::vector<std::string> pair =
        group.empty() ? std::vector<std::string>() : SplitWords(group.substr(kPair.size()));
    std::ranges::transform(pair, pair.begin(), CanonicalSource);
    // One source, or one with its retransmissions. Anything else is left to the demultiplexer.
    const bool is_pair = pair.size() == 2 && sources.size() == 2 && pair[0] != pair[1]
        && std::ranges::is_permutation(pair, sources);
    if (sources.size() != 1 && !is_pair) return;
    if (is_pair) out.push_back("a=ssrc-group:FID " + pair[0] + " " + pair[1]);
    for (const std::string& source : sources) {
        RequireWellFormed(IsSource(source) && sources_.insert(source).second,
                          "a media source is invalid or used twice");
        out.push_back("a=ssrc:" + source + " cname:stream");
        out.push_back("a=ssrc:" + source + " msid:stream " + media.kind);
    }
}

std::vector<PayloadType> ViewWriter::ChooseAudio(const OfferedMedia& media) const {
    constexpr std::array<std::string_view, 5> kParameters = {"minptime", "useinbandfec", "usedtx", "stereo",
                                                             "sprop-stereo"};
    for (PayloadType type : media.payload_types) {
        if (type.name != "opus" || type.clock != "48000/2") continue;
        std::erase_if(type.parameters, [&](const auto& parameter) {
            return std::ranges::find(kParameters, parameter.first) == kParameters.end()
                || !ParseNumber(parameter.second);
        });
        return {type};
    }
    Refuse(SdpProblem::kCodec, "no audio codec in common: the router forwards Opus");
}

std::optional<RouterVideoCodec> ForwardableCodec(const PayloadType& type) {
    if (type.clock != "90000") return std::nullopt;
    if (type.name == "vp8") return RouterVideoCodec{"VP8", ""};
    if (type.name != "h264") return std::nullopt;
    const auto mode = type.parameters.find("packetization-mode");
    const auto profile = type.parameters.find("profile-level-id");
    if (mode == type.parameters.end() || mode->second != "1" || profile == type.parameters.end()) {
        return std::nullopt;
    }
    const std::string name = H264ProfileName(profile->second);
    if (name.empty()) return std::nullopt;
    return RouterVideoCodec{"H264", name};
}

std::string Describe(const std::optional<RouterVideoCodec>& codec) {
    if (!codec) return "VP8 and H.264 (packetization mode 1)";
    if (codec->name == "VP8") return "VP8";
    return "H.264 " + codec->h264_profile + " (packetization mode 1)";
}

void ViewWriter::RefuseCodec() const {
    const std::string codec = Describe(codec_);
    Refuse(SdpProblem::kCodec, codec_ ? "the stream's video is " + codec + ", which is not offered"
                                      : "no video codec in common: the router forwards " + codec);
}

// The first format of an offer that the router forwards, and that is the stream's if it has one; `nullptr` if
// there is none.
const PayloadType* ViewWriter::FindVideo(const OfferedMedia& media) const {
    const auto found = std::ranges::find_if(media.payload_types, [&](const PayloadType& type) {
        const std::optional<RouterVideoCodec> codec = ForwardableCodec(type);
        return codec && (!codec_ || *codec == *codec_);
    });
    return found == media.payload_types.end() ? nullptr : &*found;
}

std::vector<PayloadType> ViewWriter::ChooseVideo(const OfferedMedia& media) {
    constexpr std::array<std::string_view, 3> kParameters = {"packetization-mode", "profile-level-id",
                                                             "level-asymmetry-allowed"};
    const PayloadType* const found = FindVideo(media);
    if (!found) RefuseCodec();
    const std::optional<RouterVideoCodec> codec = ForwardableCodec(*found);
    if (IsActive(media)) codec_ = codec;
    std::vector<PayloadType> chosen = {*found};
    std::erase_if(chosen[0].parameters, [&](const auto& parameter) {
        return codec->name == "VP8" || std::ranges::find(kParameters, parameter.first) == kParameters.end();
    });
    // Retransmissions of a simulcast layer must come on its own SSRC: with rids shown as mids nothing says
    // which layer a separate retransmission stream belongs to.
    if (IsSimulcast(media)) return chosen;
    const std::string apt = std::to_string(chosen[0].number);
    for (const PayloadType& type : media.payload_types) {
        if (type.name != "rtx" || type.clock != "90000") continue;
        const auto parameter = type.parameters.find("apt");
        if (parameter == type.parameters.end() || parameter->second != apt) continue;
        chosen.push_back({type.number, type.name, type.clock, {{"apt", apt}}});
        break;
    }
    return chosen;
}

SdpReading Read(LegRole role, std::string_view offer, const std::optional<RouterVideoCodec>& codec,
                const SdpLimits& limits) {
    SdpReading reading;
    try {
        CheckOfferText(offer, limits);
        const SdpText text = SdpText::Parse(offer);
        const bool begins_well = !text.session.empty() && text.session[0] == "v=0";
        RequireWellFormed(begins_well, "this is no session description");
        RequireWellFormed(!text.sections.empty(), "the offer has no m-line");
        if (text.sections.size() > limits.max_sections) {
            Refuse(SdpProblem::kUnsupported, "the offer has too many m-lines");
        }
        std::vector<OfferedMedia> medias = ReadOfferedMedia(text, limits);
        if (medias.size() > 1 && !ValueOf(text.session, kBundle)) {
            Refuse(SdpProblem::kUnsupported, "all media must share one transport (a=group:BUNDLE)");
        }
        reading.offer = ViewWriter(role, text, std::move(medias), limits).Write(codec);
    } catch (SdpRefusal& refusal) {
        reading.problem = refusal.problem;
        reading.message = std::move(refusal.message);
    }
    return reading;
}

}  // namespace

SdpReading ReadPublisherOffer(std::string_view offer, const std::optional<RouterVideoCodec>& required_codec,
                              const SdpLimits& limits) {
    return Read(LegRole::kPublisher, offer, required_codec, limits);
}

SdpReading ReadSubscriberOffer(std::string_view offer, const std::optional<RouterVideoCodec>& stream_codec,
                               const SdpLimits& limits) {
    return Read(LegRole::kSubscriber, offer, stream_codec, limits);
}

}  // namespace sightline
