// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// An hour of a call of three on the pages that a person sees.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct StoredHourTests {
        /// Points of one line: least, greatest and a gap in each of 400 buckets.
        private static let pointLimit = 1203

        @Test(
            "an hour of a call of three is shown by few points, and its report from there tells what was wrong"
        )
        func hour() async throws {
            try await StoredHour.serve { hour in
                let browser = try await Chromium()
                let result: Result<Void, any Error>
                do { result = .success(try await Self.look(at: hour, in: browser)) } catch {
                    result = .failure(error)
                }
                try await browser.close()
                try result.get()
            }
        }

        private static func look(at hour: StoredHour, in browser: Chromium) async throws {
            let page = try await browser.open("\(hour.address)#token=\(hour.token)")
            try await page.show(width: 1280)
            try await page.wait("the list", for: "find('.sessions a')")
            try await page.evaluate(tools)
            let load = try await page.evaluate("hourTools.load()")
            try await page.keepScreenshot("hour")
            let counts = try await page.evaluate("hourTools.counts()").split(separator: " ").compactMap {
                Int($0)
            }
            #expect(counts.count > 10 && counts.allSatisfy { $0 <= pointLimit })
            // What is drawn is the hour, and not a part of it.
            #expect(counts.contains { $0 > 700 })
            #expect(try await page.evaluate("hourTools.span()") == "true")
            let live = try await page.evaluate("hourTools.live()")
            print("An hour of three participants in the dashboard, ms: \(load); \(live)")
            try await page.evaluate(
                "all('.flow').find((one) => /sends camera/.test(one.innerText)).click()")
            try await page.wait(
                "a line for each layer", for: "hourTools.layers() === 'layer 1 (smallest),layer 2,layer 3'")
            try await page.keepScreenshot("hour-layers")
            let started = ContinuousClock.now
            try await page.evaluate("find('a.report').click()")
            let report = try await browser.page(with: "/report")
            // The verdict is at its top, and comes before the rest.
            try await report.wait("the report", for: "document.readyState === 'complete' && find('.verdict')")
            print("Its report: \((ContinuousClock.now - started) / .milliseconds(1)) ms")
            let verdict = try await report.evaluate("find('.verdict').innerText")
            #expect(
                verdict.contains(
                    "for 1:00 minutes of 59:59 minutes, first at 30:00: packet loss on alice's network"))
            #expect(try await report.evaluate("all('.chart').length > 20") == "true")
            try await report.show(width: 1100)
            try await report.keepScreenshot("stored-report")
            #expect(browser.problems.isEmpty)
        }

        /// What the page is asked, beside what every page is.
        private static let tools = """
            (async () => {
                const { Chart } = await import("/vendor/chart.js/chart.mjs");
                const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                const all = (selector) => [...document.querySelectorAll(selector)];
                const charts = () => all(".charts canvas").map((canvas) => Chart.getChart(canvas));
                const sets = () => charts().flatMap((chart) => chart.data.datasets).filter(({ hidden }) => !hidden);
                let drawing = 0;
                let draws = 0;
                const update = Chart.prototype.update;
                Chart.prototype.update = function (...mode) {
                    const began = performance.now();
                    update.apply(this, mode);
                    drawing += performance.now() - began;
                    draws += 1;
                };
                const timed = async (action) => {
                    [drawing, draws] = [0, 0];
                    const began = performance.now();
                    await action();
                    const worked = performance.now() - began;
                    await painted();
                    return { worked, painted: performance.now() - began, drawing, draws };
                };
                const words = (name, { worked, painted, drawing, draws }) =>
                    `${name} ${Math.round(painted)} until painted, of which ${drawing.toFixed(1)} for ${draws} charts`
                        + ` (script ${worked.toFixed(1)})`;
                globalThis.hourTools = {
                    load: async () => {
                        const opened = await timed(async () => {
                            document.querySelector(".sessions a").click();
                            while (!(sets()[0]?.data.length > 700)) await new Promise((done) => setTimeout(done, 2));
                        });
                        return words("opened", opened);
                    },
                    counts: () => sets().map(({ data }) => data.length).join(" "),
                    span: () => {
                        const [{ min, max }] = charts().map(({ scales }) => scales.x);
                        const { data } = sets()[0];
                        const known = data.filter(({ y }) => !Number.isNaN(y)).map(({ x }) => x);
                        return max - min > 3_500_000 && known[known.length - 1] - known[0] > 3_550_000;
                    },
                    live: async () => {
                        const { Charts } = await import("/web/dashboard/charts.js");
                        const answer = await fetch(
                            "/v1/sessions/hour/samples?connection=bob&stream=alice-stream&limit=10000");
                        const { samples } = await answer.json();
                        const own = new Charts(Chart, () => {}, () => {});
                        document.querySelector(".charts").after(own.element);
                        const show = (entries) => {
                            const to = entries[entries.length - 1].time;
                            own.show(entries, { from: to - 3_600_000, to }, null);
                        };
                        show(samples);
                        await painted();
                        const spent = [];
                        for (let second = 1; second <= 10; second += 1) {
                            const last = samples[samples.length - 1];
                            samples.push({ ...last, time: last.time + 1000 });
                            spent.push(await timed(async () => show(samples)));
                        }
                        own.element.remove();
                        own.close();
                        spent.sort((left, right) => left.painted - right.painted);
                        return words("one live update", spent[5]);
                    },
                    layers: () => {
                        const chart = charts().find((one) => one.data.datasets.some(({ label }) => label === "layer 2"));
                        return chart.data.datasets.filter(({ hidden }) => !hidden).map(({ label }) => label).join();
                    },
                };
            })()
            """
    }
}
