// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_TASK_QUEUES_H_
#define SIGHTLINE_ROUTER_TASK_QUEUES_H_

#include <memory>

#include "api/task_queue/task_queue_factory.h"

namespace sightline {

class TaskQueuePool;

/// All task queues of one process on a few threads. libwebrtc's own factory makes a thread per queue, about
/// four for each leg; with many legs most of the router's time then goes into waking threads.
///
/// Each queue runs its tasks in order and one at a time, on any of the pool's threads. Tasks must not wait
/// for another queue of the same pool: with every thread waiting, no one is left to do the work waited for.
/// Thread-safe. The pool outlives this object until the last queue is deleted.
class PooledTaskQueueFactory final : public webrtc::TaskQueueFactory {
public:
    explicit PooledTaskQueueFactory(std::shared_ptr<TaskQueuePool> pool);

    std::unique_ptr<webrtc::TaskQueueBase, webrtc::TaskQueueDeleter> CreateTaskQueue(
        absl::string_view name, Priority priority) const override;

private:
    std::shared_ptr<TaskQueuePool> pool_;
};

/// `thread_count` is clamped to 1...64. The threads end when the last reference, of factories and of queues,
/// is gone; that must not happen on one of the pool's own threads.
std::shared_ptr<TaskQueuePool> MakeTaskQueuePool(int thread_count);

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_TASK_QUEUES_H_
