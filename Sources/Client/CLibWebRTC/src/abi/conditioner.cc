// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "abi/abi.h"

#include <algorithm>
#include <cmath>

using namespace sightline;

struct sl_link_model {
    LinkModel model;
};

namespace sightline {
namespace {

double Positive(double value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

/// An hour of delay is beyond any use, and keeps the arithmetic in µs away from overflow.
double Milliseconds(double value) {
    return std::min(Positive(value), 3'600'000.0);
}

Direction ToDirection(int32_t direction) {
    return direction == SL_UP ? Direction::up : Direction::down;
}

}  // namespace

LinkSettings ValidSettings(const sl_link_settings& settings) {
    LinkSettings valid;
    valid.delay_ms = Milliseconds(settings.delay_ms);
    valid.jitter_ms = Milliseconds(settings.jitter_ms);
    valid.loss_percent = std::min(100.0, Positive(settings.loss_percent));
    valid.burst_loss_percent = std::min(100.0, Positive(settings.burst_loss_percent));
    valid.burst_length = std::max(1.0, Positive(settings.burst_length));
    valid.rate_kbps = Positive(settings.rate_kbps);
    valid.queue_ms = Milliseconds(settings.queue_ms);
    valid.outage = settings.outage;
    return valid;
}

sl_link_counters ToC(const LinkCounters& counters) {
    return {counters.packets_offered,  counters.bytes_offered,   counters.packets_sent,
            counters.bytes_sent,       counters.dropped_by_loss, counters.dropped_by_queue,
            counters.dropped_by_outage};
}

}  // namespace sightline

sl_conditioner* sl_conditioner_create(uint64_t seed) {
    return new sl_conditioner{std::make_shared<Conditioner>(seed)};
}

void sl_conditioner_destroy(sl_conditioner* conditioner) {
    delete conditioner;
}

void sl_conditioner_set(sl_conditioner* conditioner, int32_t direction, const sl_link_settings* settings) {
    if (conditioner && settings)
        conditioner->conditioner->Set(ToDirection(direction), ValidSettings(*settings));
}

sl_link_counters sl_conditioner_counters(const sl_conditioner* conditioner, int32_t direction) {
    return conditioner ? ToC(conditioner->conditioner->counters(ToDirection(direction))) : sl_link_counters{};
}

sl_link_model* sl_link_model_create(uint64_t seed) {
    return new sl_link_model{LinkModel(seed)};
}

void sl_link_model_destroy(sl_link_model* model) {
    delete model;
}

void sl_link_model_set(sl_link_model* model, const sl_link_settings* settings) {
    if (model && settings) model->model.set_settings(ValidSettings(*settings));
}

int32_t sl_link_model_offer(sl_link_model* model, size_t bytes, int64_t now_us, int64_t* arrival_us) {
    static_assert(static_cast<int32_t>(Fate::delivered) == SL_FATE_DELIVERED);
    static_assert(static_cast<int32_t>(Fate::lost) == SL_FATE_LOST);
    static_assert(static_cast<int32_t>(Fate::queue_full) == SL_FATE_QUEUE_FULL);
    static_assert(static_cast<int32_t>(Fate::outage) == SL_FATE_OUTAGE);
    if (!model) return SL_FATE_OUTAGE;
    auto verdict = model->model.Offer(bytes, now_us);
    if (arrival_us && verdict.fate == Fate::delivered) *arrival_us = verdict.at_us;
    return static_cast<int32_t>(verdict.fate);
}

sl_link_counters sl_link_model_counters(const sl_link_model* model) {
    return model ? ToC(model->model.counters()) : sl_link_counters{};
}
