// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "../include/sl_data_channel.h"

#include <utility>

#include "abi/abi.h"
#include "api/data_channel_interface.h"

using namespace sightline;
using webrtc::RTCError;
using webrtc::RTCErrorType;

namespace {

/// Passes a channel's events to C functions.
class CallbackChannelObserver : public webrtc::DataChannelObserver {
public:
    CallbackChannelObserver(webrtc::DataChannelInterface* channel, const sl_data_channel_callbacks& callbacks)
        : channel_(channel), callbacks_(callbacks) {}
    ~CallbackChannelObserver() override {
        if (callbacks_.release) callbacks_.release(callbacks_.context);
    }

    void OnStateChange() override {
        if (callbacks_.on_state) callbacks_.on_state(callbacks_.context, channel_->state());
    }
    void OnMessage(const webrtc::DataBuffer& message) override {
        if (!callbacks_.on_message) return;
        callbacks_.on_message(callbacks_.context, message.data.cdata(), message.size(), message.binary);
    }

private:
    webrtc::DataChannelInterface* const channel_;
    const sl_data_channel_callbacks callbacks_;
};

static_assert(static_cast<int>(webrtc::DataChannelInterface::kClosed) == static_cast<int>(SL_DATA_CLOSED));

}  // namespace

struct sl_data_channel {
    std::shared_ptr<Engine> engine;
    rtc::scoped_refptr<webrtc::DataChannelInterface> channel;
    std::string label;
    /// Set once, on the signalling thread.
    std::unique_ptr<CallbackChannelObserver> observer;
    LiveCount<SL_LIVE_DATA_CHANNEL> count;
};

namespace sightline {

sl_data_channel* MakeDataChannel(
    std::shared_ptr<Engine> engine, rtc::scoped_refptr<webrtc::DataChannelInterface> channel) {
    auto label = channel->label();
    return new sl_data_channel{std::move(engine), std::move(channel), std::move(label), nullptr};
}

}  // namespace sightline

sl_data_channel* sl_peer_create_data_channel(
    sl_peer* peer, const char* label, const sl_data_channel_config* config, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer || !config) {
        FillError(error, SL_INVALID_ARGUMENT, "a data channel needs a peer connection and a configuration");
        return nullptr;
    }
    webrtc::DataChannelInit init;
    init.ordered = config->ordered;
    if (config->max_retransmits >= 0) init.maxRetransmits = config->max_retransmits;
    init.protocol = TextOr(config->protocol, "");
    rtc::scoped_refptr<webrtc::DataChannelInterface> channel;
    auto outcome = peer->peer->Call([&](webrtc::PeerConnectionInterface& connection) {
        auto made = connection.CreateDataChannelOrError(TextOr(label, ""), &init);
        if (!made.ok()) return made.MoveError();
        channel = made.MoveValue();
        return RTCError::OK();
    });
    if (!Report(error, outcome)) return nullptr;
    return MakeDataChannel(peer->peer->engine(), std::move(channel));
}

void sl_data_channel_listen(sl_data_channel* channel, const sl_data_channel_callbacks* callbacks) {
    if (!callbacks) return;
    auto observer = std::make_unique<CallbackChannelObserver>(
        channel ? channel->channel.get() : nullptr, *callbacks);
    if (!channel) return;
    channel->engine->OnSignaling([&] {
        if (channel->observer) return;
        channel->observer = std::move(observer);
        channel->observer->OnStateChange();
        channel->channel->RegisterObserver(channel->observer.get());
    });
}

const char* sl_data_channel_label(const sl_data_channel* channel) {
    return channel ? channel->label.c_str() : "";
}

int32_t sl_data_channel_state(sl_data_channel* channel) {
    return channel ? static_cast<int32_t>(channel->channel->state()) : SL_DATA_CLOSED;
}

bool sl_data_channel_send(
    sl_data_channel* channel, const uint8_t* bytes, size_t length, bool is_binary, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!channel || (!bytes && length > 0)) {
        FillError(error, SL_INVALID_ARGUMENT, "there is no channel or no message");
        return false;
    }
    rtc::CopyOnWriteBuffer copy(bytes, length);
    return Report(error, channel->engine->OnSignaling([&] {
        if (channel->channel->state() != webrtc::DataChannelInterface::kOpen) {
            return RTCError(RTCErrorType::INVALID_STATE, "the data channel is not open");
        }
        if (channel->channel->Send(webrtc::DataBuffer(copy, is_binary))) return RTCError::OK();
        return RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "too much waits to be sent");
    }));
}

void sl_data_channel_close(sl_data_channel* channel) {
    if (channel) channel->channel->Close();
}

void sl_data_channel_destroy(sl_data_channel* channel) {
    if (!channel) return;
    RunOffEngine([channel] {
        channel->channel->UnregisterObserver();
        channel->channel->Close();
        delete channel;
    });
}
