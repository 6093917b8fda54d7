// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "peer/descriptions.h"

#include <utility>

#include "absl/strings/match.h"
#include "pc/session_description.h"

namespace sightline {

webrtc::RTCErrorOr<ParsedDescription> ParseDescription(const Description& description) {
    webrtc::SdpParseError error;
    auto parsed = webrtc::CreateSessionDescription(description.type, description.sdp, &error);
    if (parsed) return parsed;
    auto text = error.description.empty() ? std::string("not a session description") : error.description;
    if (!error.line.empty()) text += " (in \"" + error.line + "\")";
    return webrtc::RTCError(webrtc::RTCErrorType::SYNTAX_ERROR, std::move(text));
}

void RequestOfOpus(webrtc::SessionDescriptionInterface& description, const char* feature) {
    if (!description.description()) return;
    for (auto& content : description.description()->contents()) {
        auto* audio = content.media_description() ? content.media_description()->as_audio() : nullptr;
        if (!audio) continue;
        auto codecs = audio->codecs();
        for (auto& codec : codecs) {
            if (absl::EqualsIgnoreCase(codec.name, "opus")) codec.SetParam(feature, "1");
        }
        audio->set_codecs(codecs);
    }
}

}  // namespace sightline
