// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A getStats() report, handed over member by member, without JSON.
#ifndef SL_STATS_H
#define SL_STATS_H

#include "sl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Which field of `sl_stats_member` holds the value. Append-only.
enum {
    SL_STATS_BOOL = 0,
    SL_STATS_INT = 1,
    SL_STATS_UINT = 2,
    SL_STATS_DOUBLE = 3,
    /// `text`, `text_length`.
    SL_STATS_STRING = 4,
    /// A record of numbers: `count` pairs of `keys[i]` and `numbers[i]`.
    SL_STATS_NUMBER_MAP = 5,
    /// A list of strings: `count` times `keys[i]`.
    SL_STATS_STRING_LIST = 6,
    /// A list of numbers: `count` times `numbers[i]`.
    SL_STATS_NUMBER_LIST = 7,
    /// Anything else, as JSON in `text`.
    SL_STATS_JSON = 8,
};

/// One defined member of a statistics object.
typedef struct sl_stats_member {
    /// Lives as long as the process and is the same pointer for the same member every time: a cache may key
    /// on it.
    const char *name;
    int32_t kind;
    int64_t int_value;
    uint64_t uint_value;
    double double_value;
    const char *text;
    size_t text_length;
    size_t count;
    const char *const *keys;
    const double *numbers;
} sl_stats_member;

/// One statistics object. `type` lives as long as the process; everything else dies when the callback
/// returns. `timestamp_ms` is Unix time in ms. Members the engine has not defined are absent.
typedef void (*sl_stats_object_fn)(
    void *context, const char *type, const char *id, double timestamp_ms, const sl_stats_member *members,
    size_t count);

#ifdef __cplusplus
}
#endif
#endif
