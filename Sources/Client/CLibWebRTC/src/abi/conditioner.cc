// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "abi/abi.h"

using namespace sightline;

namespace {

Direction ToDirection(int32_t direction) {
    return direction == SL_UP ? Direction::up : Direction::down;
}

}  // namespace

sl_conditioner* sl_conditioner_create(uint64_t seed) {
    return new sl_conditioner{std::make_shared<Conditioner>(seed)};
}

void sl_conditioner_destroy(sl_conditioner* conditioner) {
    delete conditioner;
}

void sl_conditioner_set(sl_conditioner* conditioner, int32_t direction, const sl_link_settings* settings) {
    if (conditioner && settings)
        conditioner->conditioner->Set(ToDirection(direction), *settings);
}

sl_link_counters sl_conditioner_counters(const sl_conditioner* conditioner, int32_t direction) {
    return conditioner ? conditioner->conditioner->counters(ToDirection(direction)) : sl_link_counters{};
}
