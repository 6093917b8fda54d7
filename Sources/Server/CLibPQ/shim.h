// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// pkg-config names the directory; where there is no pkg-config, it is where Debian has it.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
