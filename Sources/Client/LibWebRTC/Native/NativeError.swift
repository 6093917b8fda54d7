// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// What the C ABI says went wrong.
struct NativeError: Error, Equatable {
    /// An `SL_*` status; not closed, newer libraries know more.
    let status: sl_status
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = sl_status(status)
        self.message = message
    }

    init(_ error: sl_error) {
        status = error.status
        message = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    init?(_ error: UnsafePointer<sl_error>?) {
        guard let error else { return nil }
        self.init(error.pointee)
    }
}

/// Calls a C function that reports failure with `false`, and throws what it says.
func check(_ call: (UnsafeMutablePointer<sl_error>) -> Bool) throws(NativeError) {
    var error = sl_error()
    if !call(&error) { throw NativeError(error) }
}

/// Calls a C function that makes a handle, and throws what it says if it makes none.
func make(_ call: (UnsafeMutablePointer<sl_error>) -> OpaquePointer?) throws(NativeError) -> OpaquePointer {
    var error = sl_error()
    guard let handle = call(&error) else { throw NativeError(error) }
    return handle
}
