// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_DESCRIPTIONS_H
#define SIGHTLINE_DESCRIPTIONS_H

#include "peer/engine_prelude.h"

#include <memory>
#include <string>

#include "api/jsep.h"
#include "api/rtc_error.h"

namespace sightline {

/// A session description as text.
struct Description {
    webrtc::SdpType type = webrtc::SdpType::kOffer;
    std::string sdp;
};

using ParsedDescription = std::unique_ptr<webrtc::SessionDescriptionInterface>;

/// A `SYNTAX_ERROR` names the line that could not be read.
webrtc::RTCErrorOr<ParsedDescription> ParseDescription(const Description& description);

/// Makes a remote description ask for a feature of Opus, such as "usedtx" (discontinuous transmission) or
/// "cbr" (a constant rate), which is how senders are asked to use it.
void RequestOfOpus(webrtc::SessionDescriptionInterface& description, const char* feature);

}  // namespace sightline
#endif
