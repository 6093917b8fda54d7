// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// libwebrtc's one-shot observers as completions. Dropped uncalled, they still complete.
#ifndef SIGHTLINE_PEER_OBSERVERS_H
#define SIGHTLINE_PEER_OBSERVERS_H

#include <memory>
#include <utility>

#include "peer/peer.h"
#include "rtc_base/ref_counted_object.h"

namespace sightline {

/// Shares what the observers below have in common: a completion, made reference-counted.
template <typename Self, typename Base, typename Value>
class CompletionObserver : public Base {
public:
    static rtc::scoped_refptr<Self> Make(Completion<Value> completion) {
        rtc::scoped_refptr<Self> observer(new rtc::RefCountedObject<Self>());
        observer->completion_ = std::move(completion);
        return observer;
    }

protected:
    Completion<Value> completion_;
};

class CreateObserver
    : public CompletionObserver<CreateObserver, webrtc::CreateSessionDescriptionObserver, Description> {
    void OnSuccess(webrtc::SessionDescriptionInterface* made) override {
        std::unique_ptr<webrtc::SessionDescriptionInterface> owned(made);
        Description description{owned->GetType(), {}};
        owned->ToString(&description.sdp);
        completion_.Succeed(std::move(description));
    }
    void OnFailure(webrtc::RTCError error) override { completion_.Fail(std::move(error)); }
};

/// Fulfills `completion` with an outcome that libwebrtc gives as an error or none.
inline void Finish(Completion<Done>& completion, webrtc::RTCError error) {
    error.ok() ? completion.Succeed({}) : completion.Fail(std::move(error));
}

class SetLocalObserver
    : public CompletionObserver<SetLocalObserver, webrtc::SetLocalDescriptionObserverInterface, Done> {
    void OnSetLocalDescriptionComplete(webrtc::RTCError error) override {
        Finish(completion_, std::move(error));
    }
};

class SetRemoteObserver
    : public CompletionObserver<SetRemoteObserver, webrtc::SetRemoteDescriptionObserverInterface, Done> {
    void OnSetRemoteDescriptionComplete(webrtc::RTCError error) override {
        Finish(completion_, std::move(error));
    }
};

class StatsObserver
    : public CompletionObserver<StatsObserver, webrtc::RTCStatsCollectorCallback, StatsReport> {
    void OnStatsDelivered(const StatsReport& report) override { completion_.Succeed(report); }
};

}  // namespace sightline
#endif
