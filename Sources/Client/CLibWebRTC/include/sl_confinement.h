// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Taking rights away from the own process, for ever. For a process that does nothing but serve a socket and
/// send and receive UDP: the media router.
#ifndef SL_CONFINEMENT_H
#define SL_CONFINEMENT_H

#include "sl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_confinement {
    /// Name of the user to become, which only root can. Null: for root "sightline" if there is such a user,
    /// else "no one"; for anyone else no change.
    const char *user;
    /// The most that the process may allocate, bytes (RLIMIT_DATA: heap, stacks and private mappings); 0 for
    /// no limit.
    uint64_t memory;
    /// The most descriptors that it may have open; 0 for no change.
    uint64_t open_files;
} sl_confinement;

/// What an older kernel may lack; the rest is in force nevertheless.
enum {
    /// No filter of system calls (seccomp).
    SL_UNCONFINED_CALLS = 1,
    /// No rules about files (Landlock).
    SL_UNCONFINED_FILES = 2,
};

/// Confines the calling thread and all that it starts, so it has to come before there is another;
/// SL_INVALID_STATE otherwise. After an error the process should end. Linux only; elsewhere nothing happens.
///
/// - the user, without supplementary groups and capabilities; no new privileges by any program
/// - no descriptors but the first three
/// - no core dumps, and no reading of its memory by others of the same user
/// - the limits on memory and descriptors
/// - no access to files but to read what libraries need, no TCP ports, no signals to other processes
///   (Landlock)
/// - no other programs and processes, no debugging, mounting, namespaces, kernel keys, BPF, io_uring, and no
///   sockets but UDP, TCP and netlink (seccomp; a call that is denied fails, it does not end the process)
bool sl_confine(const sl_confinement *confinement, uint32_t *unconfined, sl_error *error);

#ifdef __cplusplus
}
#endif
#endif
