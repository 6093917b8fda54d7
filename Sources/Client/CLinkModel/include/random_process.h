// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_RANDOM_PROCESS_H
#define SIGHTLINE_RANDOM_PROCESS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace sightline {

/// Chance that is the same on every platform for the same seed.
class RandomSource {
public:
    explicit RandomSource(uint64_t seed) : engine_(seed) {}

    /// From 0 up to, but not including, 1.
    double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
    /// Mean 1.
    double Exponential() { return -std::log(1 - Uniform()); }
    /// Mean 0, variance 1 (Box and Muller).
    double Normal() {
        double radius = std::sqrt(2 * Exponential());
        return radius * std::cos(6.283185307179586 * Uniform());
    }

private:
    std::mt19937_64 engine_;
};

/// A value that wanders from 0 to 1, at any moment equally likely to be anywhere between.
///
/// An Ornstein-Uhlenbeck process through the normal distribution function. The correlation of two of its
/// values falls exponentially with the time between them, however often it is looked at (that of the uniform
/// values is at most 0.02 below the process's own).
class WanderingValue {
public:
    explicit WanderingValue(uint64_t seed) : random_(seed) {}

    double At(double now_us, double time_constant_us) {
        double gap = started_ ? std::max(0.0, now_us - last_us_) : INFINITY;
        double correlation = std::exp(-gap / std::max(1.0, time_constant_us));
        value_ = correlation * value_ + std::sqrt(1 - correlation * correlation) * random_.Normal();
        last_us_ = now_us;
        started_ = true;
        return 0.5 * std::erfc(-value_ * M_SQRT1_2);
    }

private:
    RandomSource random_;
    bool started_ = false;
    double last_us_ = 0, value_ = 0;
};

}  // namespace sightline
#endif
