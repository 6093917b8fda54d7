// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/task_queues.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "api/task_queue/task_queue_base.h"

namespace sightline {

namespace {

using Task = absl::AnyInvocable<void() &&>;
using Clock = std::chrono::steady_clock;

// A queue gives way to others after this many tasks.
constexpr int kTasksPerTurn = 16;

class PooledTaskQueue;

}  // namespace

class TaskQueuePool {
public:
    explicit TaskQueuePool(int thread_count);
    ~TaskQueuePool();

    // What the pool knows of one queue. Guarded by the pool's mutex.
    struct Queue {
        webrtc::TaskQueueBase* handle = nullptr;
        std::deque<Task> tasks;
        // In `ready_` or being run by a thread.
        bool scheduled = false;
        bool deleted = false;
        std::thread::id runner;
        // Sets the current queue around a task; only the queue itself may do that.
        void (*run)(webrtc::TaskQueueBase*, Task&) = nullptr;
    };
    using QueuePtr = std::shared_ptr<Queue>;

    void Post(const QueuePtr& queue, Task task);
    void PostAt(const QueuePtr& queue, Clock::time_point time, Task task);
    // No task of `queue` runs or starts after this. Returns the tasks that never ran, so that the caller can
    // destroy them as that queue.
    std::vector<Task> Remove(const QueuePtr& queue);

private:
    struct Timer {
        QueuePtr queue;
        Task task;
    };

    void Work();
    void Enqueue(const QueuePtr& queue, Task task);
    void PromoteDueTimers(Clock::time_point now);
    void WaitForWork(std::unique_lock<std::mutex>& lock);
    void RunTurn(const QueuePtr& queue, std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable turn_ended_;
    std::deque<QueuePtr> ready_;
    std::multimap<Clock::time_point, Timer> timers_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

TaskQueuePool::TaskQueuePool(int thread_count) {
    for (int i = 0; i < std::clamp(thread_count, 1, 64); ++i) {
        threads_.emplace_back([this] { Work(); });
    }
}

TaskQueuePool::~TaskQueuePool() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void TaskQueuePool::Post(const QueuePtr& queue, Task task) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!queue->deleted) {
            const bool was_scheduled = queue->scheduled;
            Enqueue(queue, std::move(task));
            if (!was_scheduled) {
                work_.notify_one();
            }
            return;
        }
    }
    // A task for a deleted queue ends here, outside the lock: its destructor may post.
}

void TaskQueuePool::PostAt(const QueuePtr& queue, Clock::time_point time, Task task) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queue->deleted) {
        return;
    }
    const bool is_next = timers_.empty() || time < timers_.begin()->first;
    timers_.emplace(time, Timer{queue, std::move(task)});
    if (is_next) {
        work_.notify_one();
    }
}

std::vector<Task> TaskQueuePool::Remove(const QueuePtr& queue) {
    std::vector<Task> unrun;
    std::unique_lock<std::mutex> lock(mutex_);
    queue->deleted = true;
    for (Task& task : queue->tasks) {
        unrun.push_back(std::move(task));
    }
    queue->tasks.clear();
    for (auto timer = timers_.begin(); timer != timers_.end();) {
        if (timer->second.queue == queue) {
            unrun.push_back(std::move(timer->second.task));
            timer = timers_.erase(timer);
        } else {
            ++timer;
        }
    }
    if (queue->runner != std::this_thread::get_id()) {
        turn_ended_.wait(lock, [&] { return queue->runner == std::thread::id(); });
    }
    return unrun;
}

void TaskQueuePool::Enqueue(const QueuePtr& queue, Task task) {
    queue->tasks.push_back(std::move(task));
    if (!queue->scheduled) {
        queue->scheduled = true;
        ready_.push_back(queue);
    }
}

void TaskQueuePool::PromoteDueTimers(Clock::time_point now) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
        Timer timer = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        Enqueue(timer.queue, std::move(timer.task));
    }
}

void TaskQueuePool::WaitForWork(std::unique_lock<std::mutex>& lock) {
    if (timers_.empty()) {
        work_.wait(lock);
    } else {
        // Every idle thread waits for the next timer: one spurious wake-up costs less than a timer thread
        // that would have to wake a second thread for each timer.
        const Clock::time_point deadline = timers_.begin()->first;
        work_.wait_until(lock, deadline);
    }
}

void TaskQueuePool::Work() {
    pthread_setname_np(pthread_self(), "router-pool");
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
        PromoteDueTimers(Clock::now());
        if (ready_.empty()) {
            WaitForWork(lock);
            continue;
        }
        QueuePtr queue = std::move(ready_.front());
        ready_.pop_front();
        if (!ready_.empty()) {
            work_.notify_one();
        }
        RunTurn(queue, lock);
    }
}

void TaskQueuePool::RunTurn(const QueuePtr& queue, std::unique_lock<std::mutex>& lock) {
    queue->runner = std::this_thread::get_id();
    for (int i = 0; i < kTasksPerTurn && !queue->deleted && !queue->tasks.empty(); ++i) {
        Task task = std::move(queue->tasks.front());
        queue->tasks.pop_front();
        webrtc::TaskQueueBase* handle = queue->handle;
        lock.unlock();
        queue->run(handle, task);
        lock.lock();
    }
    queue->runner = std::thread::id();
    if (queue->deleted) {
        turn_ended_.notify_all();
    } else if (queue->tasks.empty()) {
        queue->scheduled = false;
    } else {
        ready_.push_back(queue);
    }
}

namespace {

class PooledTaskQueue final : public webrtc::TaskQueueBase {
public:
    explicit PooledTaskQueue(std::shared_ptr<TaskQueuePool> pool) : pool_(std::move(pool)) {
        queue_->handle = this;
        queue_->run = &PooledTaskQueue::Run;
    }

    void Delete() override {
        std::vector<Task> unrun = pool_->Remove(queue_);
        {
            CurrentTaskQueueSetter as_this_queue(this);
            unrun.clear();
        }
        delete this;
    }

    void PostTask(Task task) override { pool_->Post(queue_, std::move(task)); }

    void PostDelayedTask(Task task, webrtc::TimeDelta delay) override {
        PostDelayedHighPrecisionTask(std::move(task), delay);
    }

    void PostDelayedHighPrecisionTask(Task task, webrtc::TimeDelta delay) override {
        pool_->PostAt(queue_, Clock::now() + std::chrono::microseconds(delay.us()), std::move(task));
    }

private:
    static void Run(webrtc::TaskQueueBase* queue, Task& task) {
        CurrentTaskQueueSetter as_this_queue(queue);
        std::move(task)();
        // A task is destroyed on its queue: what it captured may insist on that.
        task = nullptr;
    }

    const std::shared_ptr<TaskQueuePool> pool_;
    const TaskQueuePool::QueuePtr queue_ = std::make_shared<TaskQueuePool::Queue>();
};

}  // namespace

PooledTaskQueueFactory::PooledTaskQueueFactory(std::shared_ptr<TaskQueuePool> pool)
        : pool_(std::move(pool)) {}

std::unique_ptr<webrtc::TaskQueueBase, webrtc::TaskQueueDeleter> PooledTaskQueueFactory::CreateTaskQueue(
        absl::string_view, Priority) const {
    return std::unique_ptr<webrtc::TaskQueueBase, webrtc::TaskQueueDeleter>(new PooledTaskQueue(pool_));
}

std::shared_ptr<TaskQueuePool> MakeTaskQueuePool(int thread_count) {
    return std::make_shared<TaskQueuePool>(thread_count);
}

}  // namespace sightline
