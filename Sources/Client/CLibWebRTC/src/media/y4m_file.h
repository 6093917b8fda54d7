// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_Y4M_FILE_H
#define SIGHTLINE_Y4M_FILE_H

#include <memory>
#include <string>

#include "api/rtc_error.h"
#include "media/video_source.h"

namespace sightline {

/// A video file opened for playing.
struct Y4mFile {
    int width, height;
    /// The file's own rate.
    double fps;
    /// Plays the file over and over.
    std::unique_ptr<Painter> painter;
};

/// Opens a YUV4MPEG2 file of 8-bit 4:2:0 frames, 16x16 to 4096x4096 pixels, and checks every frame header.
///
/// Errors say what is wrong: `INTERNAL_ERROR` if the file cannot be read, `SYNTAX_ERROR` if it is no such
/// file or cut short, `UNSUPPORTED_PARAMETER` if its frames are of another kind.
webrtc::RTCErrorOr<Y4mFile> OpenY4mFile(const std::string& path);

}  // namespace sightline
#endif
