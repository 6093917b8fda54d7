// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Datagrams that reach a connection: none is read beyond its end, and what a gate keeps stays bounded.
//
// Input: a byte for what the connection is for, then datagrams, each after two bytes of its length and one that says from where
// it comes, whether it is sent, and how much later.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "peer/datagram_gate.h"

using namespace sightline;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    DatagramGate gate((data[0] & 1) != 0 ? DatagramUse::kMediaAndData : DatagramUse::kMedia, 0);
    int64_t now_ms = 0;
    size_t at = 1;
    while (size - at >= 3) {
        const uint8_t how = data[at + 2];
        const size_t length = std::min<size_t>(data[at] << 8 | data[at + 1], size - at - 3);
        at += 3;
        // Of its own, so that a byte too many is seen.
        const std::vector<char> datagram(data + at, data + at + length);
        at += length;
        now_ms += how & 0xF0;
        const rtc::SocketAddress address("192.0.2.1", 1 + (how & 7));
        if ((how & 8) != 0) {
            gate.OnSent(datagram.data(), length, address, now_ms);
        } else {
            const bool is_admitted = gate.Admit(datagram.data(), length, address, now_ms);
            // Media come from where something was sent to: never first.
            if (is_admitted && now_ms == 0 && at == 4 + length && length >= 12 && (data[4] & 0xC0) == 0x80) abort();
        }
    }
    return 0;
}
