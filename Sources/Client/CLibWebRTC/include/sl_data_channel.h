// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Data channels.
#ifndef SL_DATA_CHANNEL_H
#define SL_DATA_CHANNEL_H

#include "sl_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// RTCDataChannelState.
enum {
    SL_DATA_CONNECTING = 0,
    SL_DATA_OPEN = 1,
    SL_DATA_CLOSING = 2,
    SL_DATA_CLOSED = 3,
};

typedef struct sl_data_channel_config {
    bool ordered;
    /// How often a message is sent again; -1 for until it arrives.
    int32_t max_retransmits;
    /// May be null.
    const char *protocol;
} sl_data_channel_config;

/// Run on the signalling thread. None runs after `sl_data_channel_destroy` has returned; `release` is the
/// last.
typedef struct sl_data_channel_callbacks {
    void *context;
    void (*on_state)(void *context, int32_t state);
    void (*on_message)(void *context, const uint8_t *bytes, size_t length, bool is_binary);
    sl_release_fn release;
} sl_data_channel_callbacks;

/// Null on failure, with `error` (may be null) filled in. Must come before the offer that is to carry it.
sl_data_channel *sl_peer_create_data_channel(
    sl_peer *peer, const char *label, const sl_data_channel_config *config, sl_error *error);

/// Begins the callbacks: `on_state` with the present state, then messages, those that waited first. Once per
/// channel; later calls only release their context. May be called in `on_data_channel`.
void sl_data_channel_listen(sl_data_channel *channel, const sl_data_channel_callbacks *callbacks);
/// Valid as long as the handle; may be read in the callback that gave the channel.
const char *sl_data_channel_label(const sl_data_channel *channel);
int32_t sl_data_channel_state(sl_data_channel *channel);
/// `SL_INVALID_STATE` unless open, `SL_RESOURCE` if too much waits already.
bool sl_data_channel_send(
    sl_data_channel *channel, const uint8_t *bytes, size_t length, bool is_binary, sl_error *error);
void sl_data_channel_close(sl_data_channel *channel);
/// Closes and frees. Called on an engine thread, it continues in the background.
void sl_data_channel_destroy(sl_data_channel *channel);

#ifdef __cplusplus
}
#endif
#endif
