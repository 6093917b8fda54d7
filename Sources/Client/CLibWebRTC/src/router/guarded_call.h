// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_GUARDED_CALL_H_
#define SIGHTLINE_ROUTER_GUARDED_CALL_H_

#include <memory>

#include "api/call/call_factory_interface.h"

namespace sightline {

/// Calls of libwebrtc's own whose received video passes a `SequenceGate` first: after decryption, where the
/// numbers of retransmitted packets can be read too, and before anything of libwebrtc's has used them. Audio that
/// they send is a `DatedAudioStream`, audio that they receive a `TappedAudioStream`.
std::unique_ptr<webrtc::CallFactoryInterface> CreateGuardedCallFactory();

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_GUARDED_CALL_H_
