// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_PACER_H
#define SIGHTLINE_PACER_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace sightline {

/// The one thread that drives all test media of the process; it exists while there is any.
class Pacer {
public:
    /// Called when due, with the time it was due (`rtc::TimeMicros`); returns when it is due next.
    using Tick = std::function<int64_t(int64_t due_us)>;

    /// Keeps a tick running. Its destruction waits for a tick that is under way, so never destroy it in a
    /// tick.
    class Ticket {
    public:
        Ticket(std::shared_ptr<Pacer> pacer, uint64_t id) : pacer_(std::move(pacer)), id_(id) {}
        ~Ticket() { pacer_->Remove(id_); }
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;

    private:
        const std::shared_ptr<Pacer> pacer_;
        const uint64_t id_;
    };

    /// Starts `tick` now.
    static std::unique_ptr<Ticket> Start(Tick tick);

    Pacer();
    ~Pacer();

private:
    struct Entry {
        Tick tick;
        int64_t due_us;
    };
    /// A tick further behind than this skips ahead instead of catching up in a burst.
    static constexpr int64_t kMaximumLagUs = 200'000;

    static std::shared_ptr<Pacer> Shared();
    uint64_t Add(Tick tick);
    void Remove(uint64_t id);
    void Run();
    void RunTick(std::unique_lock<std::mutex>& lock, uint64_t id);
    std::map<uint64_t, Entry>::iterator Earliest();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<uint64_t, Entry> entries_;
    uint64_t next_id_ = 1, running_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sightline
#endif
