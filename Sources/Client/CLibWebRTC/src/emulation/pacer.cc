// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "emulation/pacer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "rtc_base/time_utils.h"

namespace sightline {

std::shared_ptr<Pacer> Pacer::Shared() {
    static std::mutex mutex;
    static std::weak_ptr<Pacer> shared;
    std::lock_guard lock(mutex);
    auto pacer = shared.lock();
    if (!pacer) shared = pacer = std::make_shared<Pacer>();
    return pacer;
}

std::unique_ptr<Pacer::Ticket> Pacer::Start(Tick tick) {
    auto pacer = Shared();
    auto id = pacer->Add(std::move(tick));
    return std::make_unique<Ticket>(std::move(pacer), id);
}

Pacer::Pacer() : thread_([this] { Run(); }) {
}

Pacer::~Pacer() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

uint64_t Pacer::Add(Tick tick) {
    std::lock_guard lock(mutex_);
    auto id = next_id_++;
    entries_.emplace(id, Entry{std::move(tick), rtc::TimeMicros()});
    changed_.notify_all();
    return id;
}

void Pacer::Remove(uint64_t id) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ != id; });
    entries_.erase(id);
}

std::map<uint64_t, Pacer::Entry>::iterator Pacer::Earliest() {
    return std::min_element(entries_.begin(), entries_.end(), [](const auto& one, const auto& other) {
        return one.second.due_us < other.second.due_us;
    });
}

void Pacer::Run() {
    pthread_setname_np(pthread_self(), "sl-media");
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        auto earliest = Earliest();
        if (earliest == entries_.end()) {
            changed_.wait(lock);
            continue;
        }
        auto wait_us = earliest->second.due_us - rtc::TimeMicros();
        if (wait_us > 0) {
            changed_.wait_for(lock, std::chrono::microseconds(wait_us));
        } else {
            RunTick(lock, earliest->first);
        }
    }
}

void Pacer::RunTick(std::unique_lock<std::mutex>& lock, uint64_t id) {
    // The entry stays where it is: no one can remove it while it runs.
    Entry& entry = entries_.at(id);
    running_ = id;
    lock.unlock();
    auto next_us = entry.tick(entry.due_us);
    lock.lock();
    entry.due_us = std::max(next_us, rtc::TimeMicros() - kMaximumLagUs);
    running_ = 0;
    changed_.notify_all();
}

}  // namespace sightline
