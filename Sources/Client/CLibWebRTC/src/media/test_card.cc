// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/test_card.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "media/frame_number.h"

namespace sightline {
namespace {

/// How far the frame drifts before it jumps back, in luma pixels. The pattern repeats with it, so no jump
/// shows.
constexpr int kPeriod = 256;
constexpr int kDriftX = 2, kDriftY = 1;
constexpr int kBar = 64;

/// One plane, larger than the frame by the drift.
struct Plane {
    int stride;
    std::vector<uint8_t> pixels;

    template <typename Colour>
    Plane(int width, int height, Colour colour) : stride(width), pixels(static_cast<size_t>(width) * height) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) pixels[static_cast<size_t>(y) * width + x] = colour(x, y);
        }
    }

    void Copy(uint8_t* target, int target_stride, int width, int height, int from_x, int from_y) const {
        for (int y = 0; y < height; y++) {
            const auto* row = pixels.data() + static_cast<size_t>(y + from_y) * stride + from_x;
            std::memcpy(target + static_cast<ptrdiff_t>(y) * target_stride, row, width);
        }
    }
};

uint8_t Luma(int x, int y) {
    constexpr double kTurn = 2 * 3.14159265358979323846 / kPeriod;
    double waves = 30 * std::sin(kTurn * 2 * x) + 25 * std::sin(kTurn * (x + 3 * y)) +
                   12 * std::sin(kTurn * 8 * y);
    double bars = (x / kBar + y / kBar) % 2 == 0 ? 18 : -18;
    return static_cast<uint8_t>(std::clamp(126 + waves + bars, 16.0, 235.0));
}

/// The chroma of the bars: four tints side by side, shifted from row to row.
uint8_t Chroma(int x, int y, int shift) {
    constexpr uint8_t kTints[] = {96, 118, 160, 138};
    constexpr int kChromaBar = kBar / 2;
    return kTints[(x / kChromaBar + y / kChromaBar + shift) % 4];
}

class TestCard : public Painter {
public:
    TestCard(int width, int height)
        : width_(width),
          height_(height),
          y_(width + kPeriod, height + kPeriod, Luma),
          u_((width + kPeriod) / 2 + 1, (height + kPeriod) / 2 + 1,
             [](int x, int y) { return Chroma(x, y, 0); }),
          v_((width + kPeriod) / 2 + 1, (height + kPeriod) / 2 + 1,
             [](int x, int y) { return Chroma(x, y, 2); }) {}

    void SetStill(bool still) override { still_ = still; }

    rtc::scoped_refptr<webrtc::I420Buffer> Paint(uint32_t number) override {
        if (!still_) step_ = (step_ + 1) % kPeriod;
        // Even offsets: chroma moves in whole pixels.
        int x = step_ * kDriftX % kPeriod, y = step_ * kDriftY % kPeriod & ~1;
        auto picture = webrtc::I420Buffer::Create(width_, height_);
        y_.Copy(picture->MutableDataY(), picture->StrideY(), width_, height_, x, y);
        int chroma_width = picture->ChromaWidth(), chroma_height = picture->ChromaHeight();
        u_.Copy(picture->MutableDataU(), picture->StrideU(), chroma_width, chroma_height, x / 2, y / 2);
        v_.Copy(picture->MutableDataV(), picture->StrideV(), chroma_width, chroma_height, x / 2, y / 2);
        Stamp(*picture, number);
        return picture;
    }

private:
    /// The number, on a grey ground.
    static void Stamp(webrtc::I420Buffer& picture, uint32_t number) {
        constexpr uint8_t kGrey = 128;
        WriteFrameNumber(
            {picture.MutableDataY(), picture.StrideY(), picture.width(), picture.height()}, number);
        int rows = (FrameNumberRows(picture.width(), picture.height()) + 1) / 2;
        for (int y = 0; y < rows; y++) {
            std::memset(picture.MutableDataU() + y * picture.StrideU(), kGrey, picture.ChromaWidth());
            std::memset(picture.MutableDataV() + y * picture.StrideV(), kGrey, picture.ChromaWidth());
        }
    }

    const int width_, height_;
    const Plane y_, u_, v_;
    int step_ = 0;
    bool still_ = false;
};

}  // namespace

std::unique_ptr<Painter> CreateTestCard(int width, int height) {
    return std::make_unique<TestCard>(width, height);
}

}  // namespace sightline
