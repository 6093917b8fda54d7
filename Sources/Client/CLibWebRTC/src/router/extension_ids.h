// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_EXTENSION_IDS_H_
#define SIGHTLINE_ROUTER_EXTENSION_IDS_H_

#include <map>
#include <string>

#include "router/sdp.h"

namespace sightline {

/// The ids that the header extensions of a leg have had, by m-line.
///
/// An id means one extension for as long as a session lasts. libwebrtc refuses what contradicts the last offer, and aborts
/// on what contradicts one before.
class ExtensionIds {
public:
    /// Whether an offer contradicts none. It is remembered then, whatever becomes of it: the engine may have seen it.
    bool Admit(const SdpView& view);

private:
    std::map<std::string, std::map<int, std::string>> known_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_EXTENSION_IDS_H_
