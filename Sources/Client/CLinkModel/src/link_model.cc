// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "link_model.h"

using namespace sightline;

struct sl_link_model {
    LinkModel model;
};

sl_link_model* sl_link_model_create(uint64_t seed, size_t header_bytes) {
    return new sl_link_model{LinkModel(seed, header_bytes)};
}

void sl_link_model_destroy(sl_link_model* model) {
    delete model;
}

void sl_link_model_set(sl_link_model* model, const sl_link_settings* settings) {
    if (model && settings) model->model.set_settings(*settings);
}

int32_t sl_link_model_offer(sl_link_model* model, size_t bytes, int64_t now_us, int64_t* arrival_us) {
    if (!model) return SL_FATE_OUTAGE;
    auto verdict = model->model.Offer(bytes, now_us);
    if (arrival_us && verdict.fate == Fate::delivered) *arrival_us = verdict.at_us;
    return static_cast<int32_t>(verdict.fate);
}

sl_link_counters sl_link_model_counters(const sl_link_model* model) {
    return model ? model->model.counters() : sl_link_counters{};
}

sl_link_encounter sl_link_model_encounter(const sl_link_model* model) {
    return model ? model->model.encounter() : sl_link_encounter{};
}
