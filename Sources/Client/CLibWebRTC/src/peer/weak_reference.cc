// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include <atomic>

#include "rtc_base/ref_counted_object.h"
#include "rtc_base/weak_ptr.h"

/// The members of libwebrtc's weak pointers, all of them, so that the linker takes none of its own.
///
/// Its own abort when a pointer is used on one thread and its owner ends on another. `PeerConnection` does just that: what informs
/// it of a failed DTLS handshake looks at such a pointer on the network thread (`peer_connection.cc`, `InitializeTransportController_n`),
/// and it is destroyed on the signalling thread. Whoever is refused a cipher and leaves could end the process by it.
/// Both threads are safe there: it waits for the network thread before it is gone.
namespace rtc::internal {

WeakReference::Flag::Flag() : is_valid_(true) {
}

WeakReference::Flag::~Flag() = default;

void WeakReference::Flag::Invalidate() {
    std::atomic_ref(is_valid_).store(false, std::memory_order_release);
}

bool WeakReference::Flag::IsValid() const {
    return std::atomic_ref(const_cast<bool&>(is_valid_)).load(std::memory_order_acquire);
}

WeakReference::WeakReference() = default;
WeakReference::WeakReference(const Flag* flag) : flag_(flag) {
}
WeakReference::WeakReference(WeakReference&& other) = default;
WeakReference::WeakReference(const WeakReference& other) = default;
WeakReference::~WeakReference() = default;

bool WeakReference::is_valid() const {
    return flag_ && flag_->IsValid();
}

WeakReferenceOwner::WeakReferenceOwner() = default;

WeakReferenceOwner::~WeakReferenceOwner() {
    Invalidate();
}

WeakReference WeakReferenceOwner::GetRef() const {
    if (!HasRefs()) flag_ = new RefCountedObject<WeakReference::Flag>();
    return WeakReference(flag_.get());
}

void WeakReferenceOwner::Invalidate() {
    if (!flag_) return;
    flag_->Invalidate();
    flag_ = nullptr;
}

WeakPtrBase::WeakPtrBase() = default;
WeakPtrBase::~WeakPtrBase() = default;
WeakPtrBase::WeakPtrBase(const WeakReference& ref) : ref_(ref) {
}

}  // namespace rtc::internal
