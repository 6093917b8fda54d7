// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_KEYED_DIGEST_H_
#define SIGHTLINE_ROUTER_KEYED_DIGEST_H_

#include <cstdint>
#include <cstring>
#include <random>
#include <span>

namespace sightline {

/// Whether two payloads are the same, by a number: with a key of its own, so that no one can make two that only seem to be.
class KeyedDigest {
public:
    uint64_t Of(std::span<const uint8_t> bytes) const {
        uint64_t sum = key_ ^ bytes.size();
        while (!bytes.empty()) {
            uint64_t word = 0;
            const size_t size = bytes.size() < sizeof word ? bytes.size() : sizeof word;
            std::memcpy(&word, bytes.data(), size);
            bytes = bytes.subspan(size);
            const auto product = static_cast<unsigned __int128>(sum ^ word) * factor_;
            sum = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
        }
        return sum;
    }

private:
    static uint64_t Draw() {
        std::random_device random;
        return static_cast<uint64_t>(random()) << 32 | random();
    }

    const uint64_t key_ = Draw();
    const uint64_t factor_ = Draw() | 1;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_KEYED_DIGEST_H_
