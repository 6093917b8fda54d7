// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

private let compiler = "/usr/bin/tsc"

/// The types of the browser's client, by the compiler that its users have.
extension EndToEnd {
    @Suite(
        .timeLimit(.minutes(2)),
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: compiler),
            "TypeScript is not installed: apt-get install node-typescript"))
    struct ClientTypesTests {
        /// What an app writes; a line that is wrong is to be refused.
        private static let app = """
            import { connect, NetworkTestError, SessionError, testNetwork, testPattern, type Stream } from "sightline-client";
            import "sightline-client/bars";

            const session = await connect("https://calls.example.org", "token", { networkQuality: { remote: "moderate" } });
            session.addEventListener("networkqualitychange", ({ detail }) => {
                const bars = document.querySelector("sightline-bars");
                if (bars) bars.level = detail.level;
            });
            const { media } = testPattern("me");
            const publication = await session.publish(media, { senderStatsTrack: true });
            publication.addEventListener("warning", ({ detail }) => detail.reason === "zeroAudioLevel");
            async function watch(stream: Stream) {
                try {
                    const subscription = await session.subscribe(stream);
                    subscription.addEventListener("qualitychange", ({ detail }) => detail.diagnosis?.side === "local");
                    subscription.addEventListener("audiofallback", ({ detail }) => detail.state === "off");
                    document.createElement("video").srcObject = subscription.media;
                } catch (error) {
                    if (error instanceof SessionError && error.code === "unreachable") console.log(error.message);
                }
            }
            session.streams.forEach(watch);
            session.addEventListener("streamcreated", ({ detail }) => watch(detail.stream));
            try {
                const { verdict, recommendation, uplink } = await testNetwork({
                    url: "https://calls.example.org", token: "token", signal: new AbortController().signal,
                    onProgress: ({ fraction, sample }) => console.log(fraction, sample?.uplinkBitrate),
                });
                if (verdict === "audioAndVideo") console.log(recommendation?.width, uplink?.bandwidth);
            } catch (error) {
                if (error instanceof NetworkTestError) console.log(error.step, error.advice);
            }
            // @ts-expect-error: no such option.
            testNetwork({ url: "https://calls.example.org", token: "token", quick: true });
            // @ts-expect-error: no such event.
            publication.addEventListener("audiofallback", () => {});
            // @ts-expect-error: no such warning.
            publication.addEventListener("warning", ({ detail }) => detail.reason === "loud");
            // @ts-expect-error: 1 to 5.
            await session.rate(7);
            """

        @Test("an app that uses the package as it is meant compiles, and one that does not is refused")
        func compiles() async throws {
            let folder = try TemporaryFolder()
            let modules = folder.file("node_modules")
            try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Repository.url("Web/client"), to: modules.appending(path: "sightline-client"))
            let file = folder.file("app.mts")
            try Data(Self.app.utf8).write(to: file)
            let process = try ChildProcess(
                URL(filePath: compiler),
                [
                    "--noEmit", "--strict", "--module", "nodenext", "--moduleResolution", "nodenext",
                    "--target", "es2022", "--lib", "es2022,dom", file.path,
                ])
            let code = try await process.exitCode(within: .seconds(90))
            #expect(code == 0, "\(process.lines.joined(separator: "\n"))")
        }
    }
}
