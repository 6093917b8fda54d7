// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

/// Scripts in a mount namespace of their own.
private enum SmallDisk {
    private static let unshare =
        geteuid() == 0 ? "unshare --mount" : "unshare --map-root-user --mount"

    static let canMount: Bool = {
        #if os(Linux)
        return (try? run("mount -t tmpfs none /mnt && echo mounted"))?.contains("mounted") == true
        #else
        return false
        #endif
    }()

    /// Runs a script in a mount namespace of its own; `$child` is the program with the store.
    static func run(_ script: String) throws -> [String] {
        let child = URL(filePath: Bundle.main.executablePath ?? "")
            .deletingLastPathComponent().appending(path: "CallStoreChild").path
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec \(unshare) sh -c \"$0\" \"$1\" 2>&1", script, child]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// A store on a disk of its own, of which only the test's processes know (a mount namespace).
///
/// ``IncidentTests`` has the same refusals from SQLite wherever nothing can be mounted.
@Suite("A store on a small disk", .timeLimit(.minutes(1)), .enabled(if: SmallDisk.canMount, "needs to mount"))
struct DiskTests {
    @Test("continues by itself once there is room, and has lost nothing")
    func full() throws {
        let lines = try SmallDisk.run(
            """
            mount -t tmpfs -o size=8m none /mnt && dd if=/dev/zero of=/mnt/ballast bs=1M count=7 2>/dev/null
            exec "$0" full /mnt/calls.sqlite /mnt/ballast
            """)
        #expect(lines == ["paused", "resumed", "dropped 0"])
    }

    @Test("that cannot be written is refused with what to do")
    func readOnly() throws {
        let lines = try SmallDisk.run(
            """
            mount -t tmpfs none /mnt && "$0" open /mnt/calls.sqlite && mount -o remount,ro /mnt
            exec "$0" open /mnt/calls.sqlite
            """)
        #expect(lines.first == "opened" && lines.count == 2)
        #expect(lines.last?.contains("its file system is read-only; make it writable") == true)
    }

    @Test("without room for the first page is refused with what to do")
    func noRoom() throws {
        let lines = try SmallDisk.run(
            """
            mount -t tmpfs -o size=64k none /mnt && dd if=/dev/zero of=/mnt/ballast bs=4k count=16 2>/dev/null
            exec "$0" open /mnt/calls.sqlite
            """)
        #expect(lines.count == 1 && lines.first?.contains("there is no room for it on the disk") == true)
    }
}
