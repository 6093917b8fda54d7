// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "../include/sl_confinement.h"

#include "abi/abi.h"

#if defined(__linux__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

// The shadow memory of a sanitizer takes terabytes of addresses.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SL_SANITIZED 1
#endif
#endif

namespace sightline {
namespace {

struct Refusal {
    sl_status status;
    std::string message;
};

[[noreturn]] void Refuse(const std::string& what) {
    throw Refusal{SL_INTERNAL, what + ": " + std::strerror(errno)};
}

void RequireOneThread() {
    DIR* directory = opendir("/proc/self/task");
    if (!directory) return;
    int threads = 0;
    while (const dirent* entry = readdir(directory)) threads += entry->d_name[0] != '.';
    closedir(directory);
    if (threads > 1) throw Refusal{SL_INVALID_STATE, "a process must be confined before it starts threads"};
}

// What whoever started the process forgot to close.
void CloseInherited() {
    constexpr long kCloseRange = 436;
    syscall(kCloseRange, STDERR_FILENO + 1, ~0u, 0);
}

void Limit(__rlimit_resource resource, uint64_t most, const char* what) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0) Refuse(what);
    // Hard limits are lowered only: raising them takes rights that this process should not have.
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(resource, &limit) != 0) Refuse(what);
}

void SetLimits(const sl_confinement& confinement) {
    Limit(RLIMIT_CORE, 0, "core dumps could not be switched off");
    if (confinement.open_files > 0) {
        Limit(RLIMIT_NOFILE, confinement.open_files, "the open files could not be limited");
    }
#ifndef SL_SANITIZED
    if (confinement.memory > 0) Limit(RLIMIT_DATA, confinement.memory, "memory could not be limited");
#endif
}

struct Account {
    uid_t user;
    gid_t group;
};

bool FindAccount(const char* name, Account& account) {
    const passwd* entry = getpwnam(name);
    if (!entry) return false;
    account = {entry->pw_uid, entry->pw_gid};
    return true;
}

void BecomeUser(const char* name) {
    Account account{};
    if (name) {
        if (!FindAccount(name, account)) {
            throw Refusal{SL_INVALID_ARGUMENT, std::string("there is no user '") + name + "'"};
        }
    } else if (geteuid() != 0 || (!FindAccount("sightline", account) && !FindAccount("nobody", account))) {
        return;
    }
    if (account.user == geteuid() && account.user == getuid()) return;
    if (geteuid() != 0) {
        throw Refusal{SL_INVALID_ARGUMENT,
                      std::string("only root can start the router as another user ('") + name + "')"};
    }
    if (setgroups(0, nullptr) != 0) Refuse("the groups could not be given up");
    if (setresgid(account.group, account.group, account.group) != 0) Refuse("the group could not be changed");
    if (setresuid(account.user, account.user, account.user) != 0) Refuse("the user could not be changed");
    if (account.user != 0 && setuid(0) == 0) throw Refusal{SL_INTERNAL, "the user came back"};
}

void DropCapabilities() {
    // Ambient ones (CAP_NET_BIND_SERVICE of a service unit) are inherited by a program of any user.
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    if (syscall(SYS_capset, &header, none) != 0) Refuse("the capabilities could not be given up");
}

// MARK: Landlock, by its numbers: the headers of many a distribution are older than its kernel.

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kPathBeneath = 1;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kReadDirectory = 1 << 3;

struct RulesetAttributes {
    uint64_t files;
    /// From version 4: binding and connecting TCP.
    uint64_t network;
    /// From version 6: abstract sockets and signals to processes outside.
    uint64_t scoped;
};

struct __attribute__((packed)) PathRule {
    uint64_t allowed;
    int32_t descriptor;
};

RulesetAttributes EverythingHandled(long version) {
    RulesetAttributes attributes{};
    int rights = 13;
    if (version >= 2) rights = 14;
    if (version >= 3) rights = 15;
    if (version >= 5) rights = 16;
    attributes.files = (1ull << rights) - 1;
    if (version >= 4) attributes.network = 3;
    if (version >= 6) attributes.scoped = 3;
    return attributes;
}

size_t AttributesSize(long version) {
    if (version >= 6) return sizeof(RulesetAttributes);
    return version >= 4 ? offsetof(RulesetAttributes, scoped) : offsetof(RulesetAttributes, network);
}

void AllowReading(int ruleset, const char* path, bool is_directory) {
    const int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return;
    const PathRule rule{is_directory ? kReadFile | kReadDirectory : kReadFile, descriptor};
    syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
    close(descriptor);
}

bool ConfineFiles() {
    const long version = syscall(kCreateRuleset, nullptr, 0, 1);
    if (version < 1) return false;
    const RulesetAttributes attributes = EverythingHandled(version);
    const auto ruleset = static_cast<int>(
        syscall(kCreateRuleset, &attributes, AttributesSize(version), 0));
    if (ruleset < 0) return false;
    // What libraries look at while the process runs: processors and memory, networks, time zone, libcrypto's settings, and
    // other libraries, which some load when they are first used (Debian's libsrtp2 its ciphers, from NSS).
    for (const char* directory : {"/proc", "/sys/devices/system", "/sys/class/net", "/usr/share/zoneinfo", "/lib",
                                  "/lib64", "/usr/lib", "/usr/lib64"}) {
        AllowReading(ruleset, directory, true);
    }
    for (const char* file : {"/dev/null", "/dev/urandom", "/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/ld.so.cache"}) {
        AllowReading(ruleset, file, false);
    }
    const bool is_done = syscall(kRestrictSelf, ruleset, 0) == 0;
    close(ruleset);
    return is_done;
}

// MARK: seccomp

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// A program for the kernel's filter of system calls. Each check ends with a verdict or falls through to the next.
class CallFilter {
public:
    static constexpr uint32_t Error(int code) { return SECCOMP_RET_ERRNO | (code & SECCOMP_RET_DATA); }

    void Load(size_t offset) {
        program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
    }
    void LoadNumber() { Load(offsetof(seccomp_data, nr)); }
    /// The lower half of an argument; both architectures are little-endian.
    void LoadArgument(int index) { Load(offsetof(seccomp_data, args) + 8 * index); }
    void Return(uint32_t verdict) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
    void ReturnUnlessEqual(uint32_t value, uint32_t verdict) {
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        Return(verdict);
    }
    void ReturnIfEqual(uint32_t value, uint32_t verdict) { ReturnIf(BPF_JEQ, value, verdict); }
    void ReturnIfAtLeast(uint32_t value, uint32_t verdict) { ReturnIf(BPF_JGE, value, verdict); }
    void ReturnIfAnyBit(uint32_t bits, uint32_t verdict) { ReturnIf(BPF_JSET, bits, verdict); }
    /// The checks that `body` adds run for one call only, and have to end in a verdict.
    template <typename Body>
    void ForCall(long number, Body body) {
        LoadNumber();
        const size_t jump = program_.size();
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 0));
        body();
        program_[jump].jf = static_cast<uint8_t>(program_.size() - jump - 1);
    }
    bool Install() {
        sock_fprog program{static_cast<unsigned short>(program_.size()), program_.data()};
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    void ReturnIf(uint16_t comparison, uint32_t value, uint32_t verdict) {
        program_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | comparison | BPF_K), value, 0, 1));
        Return(verdict);
    }

    std::vector<sock_filter> program_;
};

// By number where it is the same everywhere and headers may lack the name.
constexpr long kDeniedCalls[] = {
    SYS_execve, SYS_execveat,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_uselib, SYS_iopl, SYS_ioperm,
#endif
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, 434 /* pidfd_open */, 438 /* pidfd_getfd */,
    424 /* pidfd_send_signal */, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_swapon, SYS_swapoff, SYS_unshare, SYS_setns,
    428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */,
    433 /* fspick */, 442 /* mount_setattr */, SYS_name_to_handle_at, SYS_open_by_handle_at,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, 425 /* io_uring_setup */, 426 /* io_uring_enter */,
    427 /* io_uring_register */, SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_acct, SYS_quotactl,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_syslog, SYS_vhangup, SYS_personality, SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid,
    SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid, SYS_capset,
};

bool ConfineCalls() {
#if defined(__x86_64__) || defined(__aarch64__)
    constexpr uint32_t kDenied = CallFilter::Error(EPERM);
    constexpr uint32_t kAllowed = SECCOMP_RET_ALLOW;
    const auto self = static_cast<uint32_t>(getpid());
    CallFilter filter;
    filter.Load(offsetof(seccomp_data, arch));
    filter.ReturnUnlessEqual(kArchitecture, SECCOMP_RET_KILL_PROCESS);
    filter.LoadNumber();
    // The x32 calls of x86-64, which have numbers of their own.
    filter.ReturnIfAtLeast(0x40000000, kDenied);
    for (const long number : kDeniedCalls) filter.ReturnIfEqual(static_cast<uint32_t>(number), kDenied);
    // Its flags are out of a filter's sight; the C library then takes `clone`.
    filter.ReturnIfEqual(435 /* clone3 */, CallFilter::Error(ENOSYS));
    filter.ForCall(SYS_clone, [&] {
        filter.LoadArgument(0);
        filter.ReturnIfAnyBit(CLONE_THREAD, kAllowed);
        filter.Return(kDenied);
    });
    filter.ForCall(SYS_socket, [&] {
        filter.LoadArgument(0);
        // By which the C library lists the interfaces.
        filter.ReturnIfEqual(AF_NETLINK, kAllowed);
        // Datagrams only: Landlock forbids TCP from Linux 6.7 on, this on older kernels too.
        static_assert(SOCK_DGRAM == 2 && SOCK_CLOEXEC > 15 && SOCK_NONBLOCK > 15);
        filter.LoadArgument(1);
        filter.ReturnIfAnyBit(15 & ~SOCK_DGRAM, CallFilter::Error(EACCES));
        filter.LoadArgument(0);
        for (const uint32_t family : {AF_INET, AF_INET6}) filter.ReturnIfEqual(family, kAllowed);
        filter.Return(CallFilter::Error(EAFNOSUPPORT));
    });
    // abort() and raise() signal the process itself.
    for (const long number : {SYS_kill, SYS_tgkill}) {
        filter.ForCall(number, [&] {
            filter.LoadArgument(0);
            filter.ReturnIfEqual(self, kAllowed);
            filter.Return(kDenied);
        });
    }
    filter.ForCall(SYS_prlimit64, [&] {
        filter.LoadArgument(0);
        filter.ReturnIfEqual(0, kAllowed);
        filter.ReturnIfEqual(self, kAllowed);
        filter.Return(kDenied);
    });
    filter.Return(kAllowed);
    return filter.Install();
#else
    return false;
#endif
}

uint32_t Confine(const sl_confinement& confinement) {
    RequireOneThread();
    CloseInherited();
    SetLimits(confinement);
    BecomeUser(confinement.user);
    DropCapabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Refuse("new privileges could not be forbidden");
    // After the change of user, which sets it.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) Refuse("the memory could not be closed to others");
    uint32_t unconfined = 0;
    if (!ConfineFiles()) unconfined |= SL_UNCONFINED_FILES;
    if (!ConfineCalls()) unconfined |= SL_UNCONFINED_CALLS;
    return unconfined;
}

}  // namespace
}  // namespace sightline

#endif

bool sl_confine(const sl_confinement* confinement, uint32_t* unconfined, sl_error* error) {
    sightline::FillError(error, SL_OK, "");
    if (unconfined) *unconfined = 0;
#if defined(__linux__)
    try {
        const uint32_t missing = sightline::Confine(confinement ? *confinement : sl_confinement{});
        if (unconfined) *unconfined = missing;
    } catch (const sightline::Refusal& refusal) {
        sightline::FillError(error, refusal.status, refusal.message);
        return false;
    }
#endif
    return true;
}
