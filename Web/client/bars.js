// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** How many bars there are, which is the best level. */
const count = 5;

const css = `
    :host {
        display: inline-flex; align-items: flex-end; gap: 10%; width: 1.25em; height: 1em; vertical-align: -0.1em;
    }
    :host([hidden]) { display: none; }
    span { flex: 1; border-radius: var(--sightline-bars-radius, 1px); background: var(--sightline-bars-color, currentColor); }
    span:not([data-lit]) {
        background: var(--sightline-bars-off, color-mix(in srgb, currentColor 25%, transparent));
    }
    @media (forced-colors: active) {
        span { background: CanvasText; forced-color-adjust: none; }
        span:not([data-lit]) { background: Canvas; outline: 1px solid GrayText; outline-offset: -1px; }
    }
`;

/** What all bars share; `null` where there is no such thing, as in Safari before 16.4. */
let sheet;

/** @returns {?CSSStyleSheet} */
function makeSheet() {
    try {
        const made = new CSSStyleSheet();
        made.replaceSync(css);
        return made;
    } catch {
        return null;
    }
}

/** @param {ShadowRoot} root */
function style(root) {
    // Not before there are bars: the module may be imported where there is no document.
    if (sheet === undefined) sheet = makeSheet();
    if (sheet) root.adoptedStyleSheets = [sheet];
    else root.append(Object.assign(document.createElement("style"), { textContent: css }));
}

/** A level of 0 to 5 as bars; `bars.d.ts` says what it takes. */
export class SightlineBars extends (globalThis.HTMLElement ?? Object) {
    static observedAttributes = ["level", "label"];

    constructor() {
        super();
        const root = this.attachShadow({ mode: "open" });
        style(root);
        this.bars = Array.from({ length: count }, (_, index) => {
            const bar = document.createElement("span");
            bar.style.height = `${((index + 1) * 100) / count}%`;
            return bar;
        });
        root.append(...this.bars);
    }

    connectedCallback() {
        if (!this.hasAttribute("role")) this.setAttribute("role", "img");
        this.show();
    }

    attributeChangedCallback() { if (this.isConnected) this.show(); }

    get level() {
        const text = this.getAttribute("level")?.trim() ?? "";
        return /^[0-5]$/.test(text) ? Number(text) : null;
    }

    set level(level) {
        const isKnown = Number.isInteger(level) && level >= 0 && level <= count;
        if (!isKnown) this.removeAttribute("level");
        else if (this.level !== level) this.setAttribute("level", String(level));
    }

    show() {
        const { level } = this;
        this.bars.forEach((bar, index) => { bar.toggleAttribute("data-lit", index < (level ?? 0)); });
        const label = this.getAttribute("label") ?? "Network quality";
        this.setAttribute("aria-label", `${label}: ${level === null ? "unknown" : `${level} of ${count}`}`);
    }
}

const elements = globalThis.customElements;
if (elements && !elements.get("sightline-bars")) elements.define("sightline-bars", SightlineBars);
