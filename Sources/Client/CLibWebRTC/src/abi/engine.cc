// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "abi/abi.h"

using namespace sightline;

void sl_initialize(const char* field_trials) {
    InitializeProcess(TextOr(field_trials, ""));
}

sl_engine* sl_engine_create(sl_error* error) {
    FillError(error, SL_OK, "");
    auto engine = Engine::Create({});
    if (engine) return new sl_engine{std::move(engine)};
    FillError(error, SL_INTERNAL, "libwebrtc's factory could not be made");
    return nullptr;
}

void sl_engine_destroy(sl_engine* engine) {
    delete engine;
}
