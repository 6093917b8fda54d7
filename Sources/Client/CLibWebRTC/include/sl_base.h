// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What every part of this C ABI shares: the version, errors, live-object counters.
///
/// Rules that hold for every function, unless its own text says otherwise:
/// - Strings are UTF-8 and zero-terminated. A string argument is copied before the call returns. A string
/// handed
///   to a callback is valid only until the callback returns.
/// - Functions may be called from any thread of the caller's, but never from inside one of the callbacks:
/// some of
///   them wait for an engine thread. The `*_destroy` functions are the exception: they may be called
///   anywhere.
/// - Callbacks arrive on engine threads. They must return at once and must not wait for anything.
/// - Enumerations are `int32_t` and append-only. A value the receiver does not know is never an error:
/// readers
///   keep it or ignore it, the engine falls back to the documented default.
/// - No call traps on bad input: null handles and malformed text give an error or do nothing.
#ifndef SL_BASE_H
#define SL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this ABI, raised by every change that a caller compiled against an older header would
/// misread.
#define SL_ABI_VERSION 1

/// The `SL_ABI_VERSION` the library was built with.
uint32_t sl_abi_version(void);

/// Outcome of an operation. Append-only.
typedef int32_t sl_status;
enum {
    SL_OK = 0,
    /// An argument is missing or out of range.
    SL_INVALID_ARGUMENT = 1,
    /// The object is not in a state that allows this.
    SL_INVALID_STATE = 2,
    /// The peer connection was closed before the operation could finish.
    SL_CLOSED = 3,
    /// A session description, candidate or file could not be understood.
    SL_SYNTAX = 4,
    /// The engine cannot do this.
    SL_UNSUPPORTED = 5,
    /// A file could not be read.
    SL_IO = 6,
    /// Too many of something.
    SL_RESOURCE = 7,
    /// The engine failed for a reason of its own.
    SL_INTERNAL = 8,
};

/// An outcome with a sentence for people. `message` is always terminated, and empty on success.
typedef struct sl_error {
    sl_status status;
    char message[252];
} sl_error;

/// The end of an operation without a result: `error` is null on success and dies when the callback returns.
typedef void (*sl_done_fn)(void *context, const sl_error *error);

/// Gives `context` back to its owner: runs exactly once, after the last callback that used it, on any thread.
typedef void (*sl_release_fn)(void *context);

/// Kinds of objects counted by `sl_live_objects`.
enum {
    SL_LIVE_ENGINE = 0,
    SL_LIVE_PEER = 1,
    SL_LIVE_SENDER = 2,
    SL_LIVE_DATA_CHANNEL = 3,
    SL_LIVE_FRAME_SINK = 4,
    SL_LIVE_VIDEO_SOURCE = 5,
    SL_LIVE_AUDIO_SOURCE = 6,
    SL_LIVE_CONDITIONER = 7,
    /// Operations whose callback has not run yet.
    SL_LIVE_OPERATION = 8,
    /// Conditioned UDP sockets.
    SL_LIVE_SOCKET = 9,
    SL_LIVE_REMOTE_TRACK = 10,
    SL_LIVE_KIND_COUNT = 11,
};

/// How many objects of a kind exist in this process; -1 for an unknown kind. Meant for leak tests.
int64_t sl_live_objects(int32_t kind);

#ifdef __cplusplus
}
#endif
#endif
