# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The set neighbour: 110 calls, two of five healthy though odd, drawn anew for each seed. Every truth follows from what is done to links, devices, and streams."""
from neighbour_call import Call
from neighbour_fine import FINE
from neighbour_ill import ILL

INTERVALS = [1, 1, 2, 1, 1, 5, 1, 1, 2, 1, 10, 1, 1, 5, 1]


def neighbour(seed):
    """Yields (manifest entry, lines) of each call."""
    n, used = 0, {}
    for truth, number, topologies, engines, make in FINE + ILL:
        for k in range(number):
            turn = used[engines] = used.get(engines, -1) + 1
            interval = 1 if 'background' in truth else INTERVALS[(n * 4 + seed) % len(INTERVALS)]
            n += 1
            call = Call(f'neighbour{n:03}', seed, engines.split()[(turn + seed) % len(engines.split())], topologies.split()[k % len(topologies.split())],
                        min(interval, 2) if 'short outage' in truth else interval)
            call.truth = truth
            make(call)
            yield call.run()
