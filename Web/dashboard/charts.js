// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { h } from "../shared/dom.js";
import { bands, gapKind, points, valueAt } from "./series.js";
import { charts, layerLimit, units } from "./vocabulary.js";
import { clock } from "./words.js";

/**
 * A figure of a layer that is sent; of one that is not, and of streams of a single layer, nothing.
 *
 * @param {Object} sample
 * @param {number} index From the smallest on.
 * @param {string} name
 * @returns {?number}
 */
function layerValue(sample, index, name) {
    const layer = sample.video?.layers?.[index];
    return layer && layer.sending !== false ? layer[name] : null;
}

/**
 * The lines of a chart: their names and values.
 *
 * @param {Object} chart Of the vocabulary.
 * @returns {Array}
 */
function linesOf({ unit, lines, layers }) {
    const { factor } = units[unit];
    const scaled = (value) => (value === undefined || value === null ? null : value * factor);
    const isReplaced = (sample, [part]) => layers.length > 0 && part === "video" && sample.video?.layers;
    const own = lines.map(({ name, path }) =>
        [name, (sample) => (isReplaced(sample, path) ? null : scaled(valueAt(sample, path)))]);
    const places = Array.from({ length: layerLimit }, (_, index) => index);
    return [...own, ...layers.flatMap((figure) => places.map((index) => [
        `layer ${index + 1}${index === 0 ? " (smallest)" : ""}`,
        (sample) => scaled(layerValue(sample, index, figure)),
    ]))];
}

/** What is drawn: title, unit, and lines with their names and values. */
const definitions = charts.map((chart) => ({ ...chart, unit: units[chart.unit].label, lines: linesOf(chart) }));

/** Colours of lines; more lines share them. */
const colourCount = 5;

/** More buckets than this across a chart and the eye sees no difference. */
const bucketLimit = 400;

/**
 * Loads Chart.js.
 *
 * @returns {Promise<?Function>} `null` if the server has none.
 */
export async function loadChart() {
    try {
        const library = await import("/vendor/chart.js/chart.mjs");
        const { Chart, LineController, LineElement, PointElement, LinearScale, Tooltip, Legend } = library;
        Chart.register(LineController, LineElement, PointElement, LinearScale, Tooltip, Legend);
        return Chart;
    } catch {
        return null;
    }
}

/** Distances between two times on an axis, seconds. */
const steps = [5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];

/** Room for one time of day, CSS pixels. */
const tickWidth = 85;

/**
 * Round times of day.
 *
 * @param {number} from Unix ms
 * @param {number} to Unix ms
 * @param {number} width Of the axis, CSS pixels.
 * @returns {number[]}
 */
function ticks(from, to, width) {
    const most = Math.max(1, Math.floor(width / tickWidth));
    const step = 1000 * (steps.find((seconds) => (to - from) / (seconds * 1000) <= most) ?? steps[steps.length - 1]);
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

/** The charts of one flow. */
export class Charts {
    /**
     * @param {?Function} Chart
     * @param {function(number): void} onPick Gets the time that was clicked, Unix ms.
     * @param {function(number): void} onStep Gets by how many seconds the keyboard moves.
     */
    constructor(Chart, onPick, onStep) {
        this.Chart = Chart;
        this.onPick = onPick;
        this.shade = { conditions: [], gaps: [], picked: null };
        this.element = h("div", {
            class: "charts", tabindex: "0", role: "group",
            "aria-label": "Charts; the arrow keys move the second whose numbers are shown",
            onkeydown: (event) => {
                const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
                if (!step) return;
                event.preventDefault();
                onStep(step);
            },
        });
        this.draw();
        // Colours are read when a chart is made.
        this.scheme = matchMedia("(prefers-color-scheme: dark)");
        this.redraw = () => this.draw();
        this.scheme.addEventListener("change", this.redraw);
    }

    /** Makes all charts. */
    draw() {
        this.end();
        if (!this.Chart) {
            this.element.replaceChildren(h("p", { class: "problem" },
                "There are no charts: the server has no Chart.js. On Debian: apt-get install libjs-chart.js"));
            return;
        }
        const canvases = definitions.map(({ title, unit }) => {
            const canvas = h("canvas", { role: "img", "aria-label": `${title} over time, in ${unit}` });
            const absence = h("p", { class: "absence quiet", hidden: true }, "not measured here");
            return { canvas, absence, figure: h("figure", { class: "panel" },
                h("figcaption", {}, title, " ", h("small", {}, unit)), h("div", { class: "plot" }, canvas, absence)) };
        });
        this.absences = canvases.map(({ absence }) => absence);
        this.element.replaceChildren(...canvases.map(({ figure }) => figure));
        this.charts = canvases.map(({ canvas }, index) => this.makeChart(canvas, definitions[index]));
        if (this.shown) this.show(...this.shown);
    }

    /** Gives up what the charts hold. */
    end() {
        for (const chart of this.charts ?? []) chart.destroy();
        this.charts = [];
    }

    /** Ends it for good. */
    close() {
        this.scheme.removeEventListener("change", this.redraw);
        this.end();
    }

    /**
     * Shows a flow's samples.
     *
     * @param {Object[]} entries In order of time.
     * @param {{from: number, to: number}} range Unix ms.
     * @param {?number} picked The second whose numbers are shown.
     */
    show(entries, range, picked) {
        this.shown = [entries, range, picked];
        const conditions = bands(entries, (sample) =>
            (["critical", "warning"].includes(sample.networkCondition) ? sample.networkCondition : null));
        Object.assign(this.shade, { conditions, gaps: bands(entries, gapKind), picked });
        // A second is the least that there is.
        const width = Math.max(1000, Math.ceil((range.to - range.from) / bucketLimit));
        this.charts.forEach((chart, index) => {
            definitions[index].lines.forEach(([, value], line) => {
                const data = points(entries, value, width);
                Object.assign(chart.data.datasets[line], { data, hidden: data.every(({ y }) => Number.isNaN(y)) });
            });
            // An empty chart looks like one that has to be waited for.
            this.absences[index].hidden = entries.length === 0 || chart.data.datasets.some(({ hidden }) => !hidden);
            chart.options.scales.x.min = range.from;
            chart.options.scales.x.max = range.to;
            chart.update("none");
        });
    }

    /**
     * @param {HTMLCanvasElement} canvas
     * @param {Object} definition
     * @returns {Object}
     */
    makeChart(canvas, { lines, isStepped, least = 0, most }) {
        const style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        const axis = { grid: { color: colour("--line") }, ticks: { color: colour("--quiet"), maxRotation: 0 } };
        return new this.Chart(canvas, {
            type: "line",
            data: { datasets: lines.map(([label], index) => ({
                label, data: [], borderColor: colour(`--series${(index % colourCount) + 1}`), borderWidth: 1.5, pointRadius: 0,
                pointHitRadius: 8, stepped: isStepped ? "before" : false,
                backgroundColor: colour(`--series${(index % colourCount) + 1}`),
            })) },
            options: {
                animation: false, parsing: false, normalized: true, spanGaps: false, maintainAspectRatio: false,
                interaction: { mode: "nearest", axis: "x", intersect: false },
                onClick: (event, _elements, chart) => this.onPick(chart.scales.x.getValueForPixel(event.x)),
                scales: {
                    x: { type: "linear", ...axis, ticks: { ...axis.ticks, callback: clock },
                        afterBuildTicks: (scale) => {
                            scale.ticks = ticks(scale.min, scale.max, scale.chart.width).map((value) => ({ value }));
                        } },
                    y: { min: least, max: most, ...axis, ticks: { ...axis.ticks, maxTicksLimit: 5 }, grace: "5%" },
                },
                plugins: {
                    legend: { display: lines.length > 1, align: "end", onClick: () => {},
                        labels: { boxWidth: 10, boxHeight: 2, color: colour("--text"),
                            filter: ({ datasetIndex }, { datasets }) => !datasets[datasetIndex].hidden } },
                    tooltip: { callbacks: { title: ([item]) => (item ? clock(item.parsed.x) : "") } },
                },
            },
            plugins: [this.shading(colour)],
        });
    }

    /**
     * Draws bad conditions and freezes behind the lines, and the picked second over them.
     *
     * @param {function(string): string} colour
     * @returns {Object} A plugin of Chart.js.
     */
    shading(colour) {
        const fill = (chart, { from, to }, name, [top, bottom], least) => {
            const { ctx, chartArea, scales } = chart;
            const left = Math.max(scales.x.getPixelForValue(from), chartArea.left);
            const right = Math.min(Math.max(scales.x.getPixelForValue(to), left + least), chartArea.right);
            if (right <= left) return;
            ctx.fillStyle = colour(name);
            ctx.fillRect(left, top, right - left, bottom - top);
        };
        return {
            id: "shading",
            beforeDatasetsDraw: (chart) => {
                const { top, bottom } = chart.chartArea;
                chart.ctx.save();
                for (const band of this.shade.gaps) fill(chart, band, `--${band.kind}`, [top, bottom], 1);
                for (const band of this.shade.conditions) fill(chart, band, `--${band.kind}`, [top, top + 5], 2);
                chart.ctx.restore();
            },
            afterDatasetsDraw: (chart) => {
                const { picked } = this.shade;
                if (picked === null) return;
                const area = [chart.chartArea.top, chart.chartArea.bottom];
                fill(chart, { from: picked, to: picked }, "--accent", area, 1.5);
            },
        };
    }
}
