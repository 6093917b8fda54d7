// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/y4m_file.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace sightline {
namespace {

using webrtc::RTCError;
using webrtc::RTCErrorType;

constexpr size_t kMaximumHeader = 1024;
constexpr int kMinimumSize = 16, kMaximumSize = 4096;
constexpr size_t kMaximumFrames = 1'000'000;

/// Reads up to a line feed; none if the line is too long or the file ends first.
std::optional<std::string> ReadLine(std::istream& file) {
    std::string line;
    for (char byte; line.size() < kMaximumHeader && file.get(byte);) {
        if (byte == '\n') return line;
        line.push_back(byte);
    }
    return std::nullopt;
}

std::optional<int> Number(std::string_view text) {
    int value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

struct Header {
    int width = 0, height = 0;
    double fps = 0;
    std::string colours = "420";
};

void ReadRate(std::string_view text, Header& header) {
    auto colon = text.find(':');
    if (colon == std::string_view::npos) return;
    auto numerator = Number(text.substr(0, colon)), denominator = Number(text.substr(colon + 1));
    if (numerator && denominator && *numerator > 0 && *denominator > 0) {
        header.fps = static_cast<double>(*numerator) / *denominator;
    }
}

Header ReadHeader(const std::string& line) {
    Header header;
    std::istringstream words(line);
    std::string word;
    words >> word;
    while (words >> word) {
        std::string_view value = std::string_view(word).substr(1);
        switch (word[0]) {
        case 'W': header.width = Number(value).value_or(0); break;
        case 'H': header.height = Number(value).value_or(0); break;
        case 'F': ReadRate(value, header); break;
        case 'C': header.colours = value; break;
        default: break;
        }
    }
    return header;
}

RTCError Check(const Header& header) {
    auto fits = [](int size) { return size >= kMinimumSize && size <= kMaximumSize; };
    if (!fits(header.width) || !fits(header.height)) {
        return RTCError(
            RTCErrorType::UNSUPPORTED_PARAMETER, "its size is missing or not within 16 to 4096 pixels");
    }
    if (header.fps < 0.1 || header.fps > 120) {
        return RTCError(
            RTCErrorType::UNSUPPORTED_PARAMETER, "its rate is missing or not within 0.1 to 120 fps");
    }
    const auto& colours = header.colours;
    if (colours != "420" && colours != "420jpeg" && colours != "420mpeg2" && colours != "420paldv") {
        return RTCError(
            RTCErrorType::UNSUPPORTED_PARAMETER,
            "its colours are " + colours + ", only 8-bit 4:2:0 is supported");
    }
    return RTCError::OK();
}

class Y4mPainter : public Painter {
public:
    Y4mPainter(std::ifstream file, int width, int height, std::vector<std::streamoff> frames)
        : file_(std::move(file)), width_(width), height_(height), frames_(std::move(frames)) {}

    void SetStill(bool still) override { still_ = still; }

    rtc::scoped_refptr<webrtc::I420Buffer> Paint(uint32_t) override {
        if (still_ && last_) return last_;
        file_.clear();
        file_.seekg(frames_[next_]);
        next_ = (next_ + 1) % frames_.size();
        auto picture = webrtc::I420Buffer::Create(width_, height_);
        Read(picture->MutableDataY(), picture->StrideY(), width_, height_);
        Read(picture->MutableDataU(), picture->StrideU(), picture->ChromaWidth(), picture->ChromaHeight());
        Read(picture->MutableDataV(), picture->StrideV(), picture->ChromaWidth(), picture->ChromaHeight());
        // The file was cut while it played: the last whole frame stays.
        if (file_) last_ = picture;
        return last_;
    }

private:
    void Read(uint8_t* target, int stride, int width, int height) {
        for (int y = 0; y < height; y++) file_.read(reinterpret_cast<char*>(target + y * stride), width);
    }

    std::ifstream file_;
    const int width_, height_;
    const std::vector<std::streamoff> frames_;
    size_t next_ = 0;
    bool still_ = false;
    rtc::scoped_refptr<webrtc::I420Buffer> last_;
};

/// Where each frame's pixels begin.
webrtc::RTCErrorOr<std::vector<std::streamoff>> FindFrames(std::istream& file, int width, int height) {
    const std::streamoff chroma = static_cast<std::streamoff>((width + 1) / 2) * ((height + 1) / 2);
    const std::streamoff size = static_cast<std::streamoff>(width) * height + 2 * chroma;
    auto start = file.tellg();
    file.seekg(0, std::ios::end);
    const std::streamoff end = file.tellg();
    file.seekg(start);
    std::vector<std::streamoff> frames;
    while (file.tellg() < end) {
        auto number = std::to_string(frames.size());
        auto line = ReadLine(file);
        if (!line || !line->starts_with("FRAME")) {
            return RTCError(RTCErrorType::SYNTAX_ERROR, "frame " + number + " has no header");
        }
        frames.push_back(file.tellg());
        if (end - frames.back() < size)
            return RTCError(RTCErrorType::SYNTAX_ERROR, "frame " + number + " is cut short");
        if (frames.size() > kMaximumFrames)
            return RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "it has too many frames");
        file.seekg(frames.back() + size);
    }
    if (frames.empty()) return RTCError(RTCErrorType::SYNTAX_ERROR, "it has no frames");
    return frames;
}

}  // namespace

webrtc::RTCErrorOr<Y4mFile> OpenY4mFile(const std::string& path) {
    std::error_code failure;
    // Anything but a file (a pipe, say) could keep us waiting for ever.
    bool is_file = std::filesystem::is_regular_file(path, failure);
    std::ifstream file;
    if (is_file) file.open(path, std::ios::binary);
    if (!file.is_open()) return RTCError(RTCErrorType::INTERNAL_ERROR, "it cannot be read");
    auto line = ReadLine(file);
    if (!line || !(*line == "YUV4MPEG2" || line->starts_with("YUV4MPEG2 "))) {
        return RTCError(RTCErrorType::SYNTAX_ERROR, "it is not a YUV4MPEG2 file");
    }
    auto header = ReadHeader(*line);
    if (auto error = Check(header); !error.ok()) return error;
    auto frames = FindFrames(file, header.width, header.height);
    if (!frames.ok()) return frames.MoveError();
    auto painter = std::make_unique<Y4mPainter>(
        std::move(file), header.width, header.height, frames.MoveValue());
    return Y4mFile{header.width, header.height, header.fps, std::move(painter)};
}

}  // namespace sightline
