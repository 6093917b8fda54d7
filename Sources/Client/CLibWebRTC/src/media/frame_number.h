// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_FRAME_NUMBER_H
#define SIGHTLINE_FRAME_NUMBER_H

#include <cstdint>
#include <optional>

namespace sightline {

/// A frame number written into the frame itself: 32 black or white cells along the top edge, 24 bits of
/// number and 8 bits of check sum. Survives scaling and compression down to a width of 64.
///
/// Numbers wrap at 2^24, which is a week at 27 frames a second.
inline constexpr uint32_t kFrameNumberLimit = 1u << 24;

/// One luma plane, 8 bits a pixel.
template <typename Byte>
struct LumaPlane {
    Byte* pixels;
    int stride, width, height;
};

/// How many rows the number takes.
int FrameNumberRows(int width, int height);

/// Does nothing to frames less than 64 pixels wide.
void WriteFrameNumber(const LumaPlane<uint8_t>& plane, uint32_t number);

/// The number in the frame; none if it carries no readable one.
std::optional<uint32_t> ReadFrameNumber(const LumaPlane<const uint8_t>& plane);

}  // namespace sightline
#endif
