// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// libFuzzer's loop, in its library without a `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Fuzzes the target that the environment names; Scripts/fuzz.sh starts it.
///
/// Not an argument: libFuzzer starts itself again with its own ones.
@main
enum FuzzRunner {
    private static let variable = "SIGHTLINE_FUZZ_TARGET"
    private static let entry = FuzzTarget(
        rawValue: ProcessInfo.processInfo.environment[variable] ?? "")?.entry

    static func main() {
        guard entry != nil else {
            print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
            return
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(runFuzzer(&count, &arguments) { FuzzRunner.run(UnsafeRawBufferPointer(start: $0, count: $1)) })
    }

    private static func run(_ input: UnsafeRawBufferPointer) -> CInt {
        do {
            switch entry {
            case .now(let body): try body(input)
            case .later(let body): try wait(body, [UInt8](input))
            case nil: return -1
            }
        } catch {
            FileHandle.standardError.write(Data("Finding: \(error)\n".utf8))
            abort()
        }
        return 0
    }

    private static func wait(_ body: @escaping @Sendable ([UInt8]) async throws -> Void, _ input: [UInt8])
        throws
    {
        nonisolated(unsafe) var failure: (any Error)?
        let isDone = DispatchSemaphore(value: 0)
        Task {
            do { try await body(input) } catch { failure = error }
            isDone.signal()
        }
        isDone.wait()
        if let failure { throw failure }
    }
}
