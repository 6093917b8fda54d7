// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#define _GNU_SOURCE
#include "CLineSystem.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// Enters a namespace and returns a descriptor of the one that was left.
static int enter(const char *path) {
    int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (home < 0) return -errno;
    int there = open(path, O_RDONLY | O_CLOEXEC);
    int result = there < 0 || setns(there, CLONE_NEWNET) < 0 ? -errno : home;
    if (there >= 0) close(there);
    if (result < 0) close(home);
    return result;
}

static void leave(int home) {
    setns(home, CLONE_NEWNET);
    close(home);
}

int sl_line_open_tun(const char *path, const char *name) {
    int home = enter(path);
    if (home < 0) return home;
    int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    int result = tun < 0 ? -errno : tun;
    if (tun >= 0) {
        struct ifreq request;
        memset(&request, 0, sizeof request);
        request.ifr_flags = IFF_TUN | IFF_NO_PI;
        strncpy(request.ifr_name, name, IFNAMSIZ - 1);
        if (ioctl(tun, TUNSETIFF, &request) < 0) {
            result = -errno;
            close(tun);
        }
    }
    leave(home);
    return result;
}

int sl_line_open_socket(const char *path, int domain, int type) {
    int home = enter(path);
    if (home < 0) return home;
    int descriptor = socket(domain, type | SOCK_CLOEXEC, 0);
    int result = descriptor < 0 ? -errno : descriptor;
    leave(home);
    return result;
}

int sl_line_wait(int descriptor, int other, int64_t timeout_us) {
    struct pollfd polled[2] = {{descriptor, POLLIN, 0}, {other, POLLIN, 0}};
    struct timespec limit = {timeout_us / 1000000, timeout_us % 1000000 * 1000};
    int ready = ppoll(polled, 2, timeout_us < 0 ? NULL : &limit, NULL);
    return ready < 0 ? -errno : ready;
}

int sl_line_prefer_thread(void) {
    struct sched_param parameters = {.sched_priority = 10};
    return -pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

#else

#include <errno.h>

int sl_line_open_tun(const char *path, const char *name) { return -ENOSYS; }
int sl_line_open_socket(const char *path, int domain, int type) { return -ENOSYS; }
int sl_line_wait(int descriptor, int other, int64_t timeout_us) { return -ENOSYS; }
int sl_line_prefer_thread(void) { return -ENOSYS; }

#endif
