// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_PLAYOUT_DEVICE_H
#define SIGHTLINE_PLAYOUT_DEVICE_H

#include "modules/audio_device/include/audio_device.h"

namespace sightline {

/// An audio device that plays 48 kHz mono into nothing and captures nothing.
///
/// libwebrtc decodes received audio only when a device asks for it, so without one the receiving side would
/// have no levels, no concealment and no jitter buffer figures. While anything plays, a thread asks every 10
/// ms.
rtc::scoped_refptr<webrtc::AudioDeviceModule> CreatePlayoutDevice();

}  // namespace sightline
#endif
