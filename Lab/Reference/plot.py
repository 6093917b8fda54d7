# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Scatter plots as SVG."""
import numpy as np

SIDE, MARGIN, LEGEND = 360, 44, 110
COLOURS = ["#7a7a7a", "#0072b2", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#b8860b"]


def scatter(measured, said, kinds, names, title):
    """Points of `said` over `measured`, both 1 to 5, a colour for each kind."""
    x = lambda value: MARGIN + (np.asarray(value, float) - 1) / 4 * SIDE
    y = lambda value: 10 + SIDE - (np.asarray(value, float) - 1) / 4 * SIDE
    width, height = MARGIN + SIDE + LEGEND, SIDE + MARGIN + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
             f"<title>{title}: said over measured</title>", f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for value in range(1, 6):
        parts.append(f'<path d="M{x(1):.0f} {y(value):.0f}H{x(5):.0f}M{x(value):.0f} {y(1):.0f}V{y(5):.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 8}" y="{y(value) + 4:.0f}" text-anchor="end">{value}</text>')
        parts.append(f'<text x="{x(value):.0f}" y="{y(1) + 16:.0f}" text-anchor="middle">{value}</text>')
    parts.append(f'<path d="M{x(1):.0f} {y(1):.0f}L{x(5):.0f} {y(5):.0f}" stroke="#bbb" stroke-dasharray="4 3"/>')
    for index, name in enumerate(names):
        chosen = [place for place, kind in enumerate(kinds) if kind == name and not np.isnan(measured[place] + said[place])]
        points = "".join(f"M{x(measured[place]):.0f} {y(said[place]):.0f}h0" for place in chosen)
        colour = COLOURS[index % len(COLOURS)]
        parts.append(f'<path d="{points}" stroke="{colour}" stroke-width="4" stroke-linecap="round" opacity="0.65"/>')
        parts.append(f'<text x="{MARGIN + SIDE + 12}" y="{24 + 18 * index}" fill="{colour}">● {name}</text>')
    parts.append(f'<text x="{MARGIN + SIDE / 2}" y="{height - 6}" text-anchor="middle">{title}, measured</text>')
    parts.append(f'<text transform="translate(12 {10 + SIDE / 2}) rotate(-90)" text-anchor="middle">{title}, said (MOS)</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
