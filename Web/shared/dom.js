// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/**
 * Makes an element. Texts become text nodes: nothing that comes from a server is ever read as HTML.
 *
 * @param {string} tag
 * @param {Object<string, *>} [props] `on…` are listeners, `data` is the dataset; `null`, `undefined` and `false` are
 *   omitted, other values are attributes.
 * @param {...(Node|string|number|null|undefined|Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "data") Object.assign(element.dataset, value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/**
 * Makes an element of a drawing.
 *
 * @param {string} tag
 * @param {Object<string, string|number|boolean>} [attributes]
 * @param {...(Node|string|Array)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children.flat(Infinity));
    return element;
}

/** How many waits a function that is debounced waits at most where things are never quiet. */
const mostWaits = 4;

/**
 * Calls a function once things have been quiet for a while; where they never are, every now and then.
 *
 * @param {number} wait ms
 * @param {function(): void} action
 * @returns {function(): void}
 */
export function debounced(wait, action) {
    let timer;
    let latest;
    return () => {
        const now = performance.now();
        if (timer === undefined) latest = now + mostWaits * wait;
        clearTimeout(timer);
        timer = setTimeout(() => {
            timer = undefined;
            action();
        }, Math.max(0, Math.min(wait, latest - now)));
    };
}
