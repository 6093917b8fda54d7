// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_TEST_CARD_H
#define SIGHTLINE_TEST_CARD_H

#include <memory>

#include "media/video_source.h"

namespace sightline {

/// A frame of soft waves and coloured bars that drifts to the lower right, with its frame number on top.
///
/// Standing still, only the number changes. Easy enough to encode that 640x360 at 30 fps keeps its size at
/// 600 kbit/s, and busy enough that a lower rate shows.
std::unique_ptr<Painter> CreateTestCard(int width, int height);

}  // namespace sightline
#endif
