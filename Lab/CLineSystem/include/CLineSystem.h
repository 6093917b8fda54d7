// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// System calls of the line emulation that Swift cannot make. Each returns a negative errno on failure.
#ifndef CLINESYSTEM_H
#define CLINESYSTEM_H

#include <stdint.h>

/// Makes a TUN device in the network namespace whose file is `path`, and returns its descriptor, which does not
/// block. The device is there until the descriptor is closed.
int sl_line_open_tun(const char *path, const char *name);
/// Makes a socket in a network namespace; it works from any thread of the process.
int sl_line_open_socket(const char *path, int domain, int type);
/// Waits until one of two descriptors can be read, `timeout_us` at most; below 0 is for ever. Finer than
/// `poll`, which counts in ms.
int sl_line_wait(int descriptor, int other, int64_t timeout_us);
/// Lets the calling thread run before all ordinary ones, so that a busy machine adds no delay.
int sl_line_prefer_thread(void);
#endif
