// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The engine: libwebrtc's threads and factories, shared by peer connections.
#ifndef SL_ENGINE_H
#define SL_ENGINE_H

#include "sl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Owned by the caller until `sl_engine_destroy`. Objects made with it keep what they need of it alive, so
/// the order of destruction is free.
typedef struct sl_engine sl_engine;

/// Prepares the process: no logging, libwebrtc's field trials ("Name/value/Name/value/", may be null). The
/// first call in the process decides, `sl_engine_create` counting as one without trials.
void sl_initialize(const char *field_trials);

/// Starts an engine with Opus, G.711, VP8, VP9 and H.264, without audio processing; received audio is decoded
/// and discarded. Null on failure, with `error` (may be null) filled in.
sl_engine *sl_engine_create(sl_error *error);

/// Ends the caller's use of the engine.
void sl_engine_destroy(sl_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
