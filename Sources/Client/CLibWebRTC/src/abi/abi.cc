// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "abi/abi.h"

#include <algorithm>
#include <cstring>

namespace sightline {
namespace {

sl_status StatusOf(webrtc::RTCErrorType type) {
    using Type = webrtc::RTCErrorType;
    switch (type) {
    case Type::NONE: return SL_OK;
    case Type::UNSUPPORTED_OPERATION:
    case Type::UNSUPPORTED_PARAMETER: return SL_UNSUPPORTED;
    case Type::INVALID_PARAMETER:
    case Type::INVALID_RANGE:
    case Type::INVALID_MODIFICATION: return SL_INVALID_ARGUMENT;
    case Type::SYNTAX_ERROR: return SL_SYNTAX;
    case Type::INVALID_STATE: return SL_INVALID_STATE;
    case Type::NETWORK_ERROR: return SL_CLOSED;
    case Type::RESOURCE_EXHAUSTED: return SL_RESOURCE;
    default: return SL_INTERNAL;
    }
}

}  // namespace

void FillError(sl_error* error, sl_status status, const std::string& message) {
    if (!error) return;
    error->status = status;
    size_t length = std::min(message.size(), sizeof(error->message) - 1);
    // Not in the middle of a UTF-8 sequence.
    while (length < message.size() && length > 0 && (message[length] & 0xC0) == 0x80) length--;
    std::memcpy(error->message, message.data(), length);
    std::memset(error->message + length, 0, sizeof(error->message) - length);
}

void FillError(sl_error* error, const webrtc::RTCError& cause) {
    FillError(error, StatusOf(cause.type()), cause.message());
}

bool Report(sl_error* error, const webrtc::RTCError& cause) {
    FillError(error, cause);
    return cause.ok();
}

sl_error MakeError(const webrtc::RTCError& cause) {
    sl_error error;
    FillError(&error, cause);
    return error;
}

Completion<Done> MakeCompletion(void* context, sl_done_fn done) {
    return Completion<Done>([context, done](webrtc::RTCErrorOr<Done> result) {
        if (!done) return;
        if (result.ok()) return done(context, nullptr);
        auto error = MakeError(result.error());
        done(context, &error);
    });
}

}  // namespace sightline
