// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// To be included before any other header of libwebrtc: reads the one that uses what C++20 has deprecated,
/// with that warning off, so that a build of ours shows only warnings of ours.
#ifndef SIGHTLINE_ENGINE_PRELUDE_H
#define SIGHTLINE_ENGINE_PRELUDE_H

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include "modules/video_coding/include/video_codec_interface.h"
#pragma clang diagnostic pop

#endif
