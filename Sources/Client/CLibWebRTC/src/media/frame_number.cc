// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/frame_number.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sightline {
namespace {

constexpr int kCells = 32;
constexpr uint8_t kBlack = 16, kWhite = 235;
constexpr int kMinimumWidth = 64;

uint32_t CheckSum(uint32_t number) {
    // A multiplicative hash, offset so that a uniform frame (all cells alike) never passes.
    return (number * 0x9E3779B1u + 0x5A000000u) >> 24;
}

int CellStart(int width, int cell) {
    return width * cell / kCells;
}

/// Mean luma of the middle of a cell; its edges are smeared by scaling and compression.
int CellLuma(const LumaPlane<const uint8_t>& plane, int cell, int rows) {
    int left = CellStart(plane.width, cell), right = CellStart(plane.width, cell + 1);
    int margin_x = (right - left) / 3, margin_y = rows / 3, sum = 0, count = 0;
    for (int y = margin_y; y < rows - margin_y; y++) {
        for (int x = left + margin_x; x < right - margin_x; x++, count++) {
            sum += plane.pixels[static_cast<ptrdiff_t>(y) * plane.stride + x];
        }
    }
    return count > 0 ? sum / count : 0;
}

}  // namespace

int FrameNumberRows(int width, int height) {
    return std::max(1, std::min(width / kCells, height / 4));
}

void WriteFrameNumber(const LumaPlane<uint8_t>& plane, uint32_t number) {
    if (plane.width < kMinimumWidth) return;
    number %= kFrameNumberLimit;
    uint32_t code = number << 8 | CheckSum(number);
    for (int y = 0; y < FrameNumberRows(plane.width, plane.height); y++) {
        uint8_t* row = plane.pixels + static_cast<ptrdiff_t>(y) * plane.stride;
        for (int cell = 0; cell < kCells; cell++) {
            int start = CellStart(plane.width, cell), end = CellStart(plane.width, cell + 1);
            std::memset(row + start, code >> cell & 1 ? kWhite : kBlack, end - start);
        }
    }
}

std::optional<uint32_t> ReadFrameNumber(const LumaPlane<const uint8_t>& plane) {
    if (plane.width < kMinimumWidth) return std::nullopt;
    int rows = FrameNumberRows(plane.width, plane.height);
    uint32_t code = 0;
    for (int cell = 0; cell < kCells; cell++) {
        if (CellLuma(plane, cell, rows) > (kBlack + kWhite) / 2) code |= 1u << cell;
    }
    uint32_t number = code >> 8;
    if ((code & 0xFF) != CheckSum(number)) return std::nullopt;
    return number;
}

}  // namespace sightline
