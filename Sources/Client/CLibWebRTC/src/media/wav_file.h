// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_WAV_FILE_H
#define SIGHTLINE_WAV_FILE_H

#include <string>
#include <vector>

#include "api/rtc_error.h"

namespace sightline {

/// The whole of a RIFF/WAVE file as 48 kHz mono samples with a full scale of 1.
///
/// Takes 16-bit PCM, mono or stereo (mixed down), 8 to 48 kHz, up to ten minutes. Errors say what is wrong:
/// `INTERNAL_ERROR` if the file cannot be read, `SYNTAX_ERROR` if it is no such file, `UNSUPPORTED_PARAMETER`
/// if it is a WAVE file of another kind.
webrtc::RTCErrorOr<std::vector<float>> ReadWavFile(const std::string& path);

}  // namespace sightline
#endif
