// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@testable import LibWebRTC

extension EngineTests {
    /// What an engine does to the process that it is in.
    @Suite("The end of a process")
    struct ProcessEndTests {
        /// An engine's threads free what they hold of OpenSSL's when they end, also while the process ends.
        ///
        /// A handler at exit that had cleaned OpenSSL up by then would have freed it as well.
        @Test("OpenSSL is not cleaned up when a process ends that had an engine")
        func leavesOpenSSLAlone() async {
            await #expect(processExitsWith: .success) {
                // Handlers run last in, first out: this one comes after any that the engine brings.
                atexit {
                    typealias Initialise = @convention(c) (UInt64, OpaquePointer?) -> CInt
                    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "OPENSSL_init_crypto") else { _exit(2) }
                    // It refuses after the clean-up.
                    if unsafeBitCast(symbol, to: Initialise.self)(0, nil) != 1 { _exit(1) }
                }
                let party = try Party(try NativeEngine())
                _ = try await party.peer.createOffer(restartICE: false)
                exit(EXIT_SUCCESS)
            }
        }
    }
}
