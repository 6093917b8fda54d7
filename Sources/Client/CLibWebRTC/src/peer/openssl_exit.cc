// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include <openssl/crypto.h>

namespace {

// libwebrtc's threads hold state of OpenSSL's and free it when they end. OpenSSL's handler at exit frees it as well,
// whether or not a thread is just ending: then it is freed twice, and the process dies of its end. The system takes
// back what is left of a process anyway. Before main(), since only the first initialisation can choose.
__attribute__((constructor)) void LeaveOpenSSLAloneAtExit() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

}  // namespace
