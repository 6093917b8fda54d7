// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "frame_number.h"

#include <algorithm>
#include <cstring>

namespace sightline {
namespace {

constexpr int kCells = 32;
constexpr uint8_t kBlack = 16, kWhite = 235, kNeutral = 128;
constexpr int kMinimumWidth = 64;

uint32_t CheckSum(uint32_t number) {
    // A multiplicative hash: an even picture (all cells alike) never passes.
    return (number * 0x9E3779B1u + 0x5Au) >> 24;
}

int CellStart(int width, int cell) {
    return width * cell / kCells;
}

int StripHeight(int width, int height) {
    return std::max(1, std::min(width / kCells, height / 4));
}

/// Mean luma of the middle of a cell; its edges are smeared by scaling and compression.
int CellLuma(const webrtc::I420BufferInterface& picture, int cell, int strip) {
    int left = CellStart(picture.width(), cell), right = CellStart(picture.width(), cell + 1);
    int margin_x = (right - left) / 3, margin_y = strip / 3, sum = 0, count = 0;
    for (int y = margin_y; y < strip - margin_y; y++) {
        for (int x = left + margin_x; x < right - margin_x; x++, count++) {
            sum += picture.DataY()[y * picture.StrideY() + x];
        }
    }
    return count > 0 ? sum / count : 0;
}

}  // namespace

void WriteFrameNumber(webrtc::I420Buffer& picture, uint32_t number) {
    if (picture.width() < kMinimumWidth) return;
    number %= kFrameNumberLimit;
    uint32_t code = number << 8 | CheckSum(number);
    int strip = StripHeight(picture.width(), picture.height());
    for (int y = 0; y < strip; y++) {
        uint8_t* row = picture.MutableDataY() + y * picture.StrideY();
        for (int cell = 0; cell < kCells; cell++) {
            int start = CellStart(picture.width(), cell), end = CellStart(picture.width(), cell + 1);
            std::memset(row + start, code >> cell & 1 ? kWhite : kBlack, end - start);
        }
    }
    for (int y = 0; y < (strip + 1) / 2; y++) {
        std::memset(picture.MutableDataU() + y * picture.StrideU(), kNeutral, picture.ChromaWidth());
        std::memset(picture.MutableDataV() + y * picture.StrideV(), kNeutral, picture.ChromaWidth());
    }
}

std::optional<uint32_t> ReadFrameNumber(const webrtc::I420BufferInterface& picture) {
    if (picture.width() < kMinimumWidth) return std::nullopt;
    int strip = StripHeight(picture.width(), picture.height());
    uint32_t code = 0;
    for (int cell = 0; cell < kCells; cell++) {
        if (CellLuma(picture, cell, strip) > (kBlack + kWhite) / 2) code |= 1u << cell;
    }
    uint32_t number = code >> 8;
    if ((code & 0xFF) != CheckSum(number)) return std::nullopt;
    return number;
}

}  // namespace sightline
