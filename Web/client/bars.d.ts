// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/**
 * `<sightline-bars level="3" label="Alice's network">`: a level of 0 to 5 as five bars, as large as the text around it.
 *
 * To assistive technology it is an image, whose name is the label and the level. CSS custom properties theme it:
 * `--sightline-bars-color` (the color of the text if omitted), `--sightline-bars-off` for bars that are not lit, and
 * `--sightline-bars-radius`. A color for each level is a rule for `sightline-bars[level="1"]` and so on.
 */
export class SightlineBars extends HTMLElement {
    /** 0 to 5; `null`, and no attribute, while it is not known. */
    level: number | null;
}

declare global {
    interface HTMLElementTagNameMap {
        "sightline-bars": SightlineBars;
    }
}
