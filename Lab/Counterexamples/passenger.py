# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The set passenger: 120 recordings of 115 calls, two of five healthy though odd, drawn anew for each seed. Every truth follows from what is done to links, devices, and streams, and from what is noticed of it."""
from passenger_call import Call
from passenger_fine import FINE
from passenger_ill import ILL

ENGINES = ['chrome126', 'chrome114', 'firefox128', 'chrome130', 'safari17', 'chrome109', 'libwebrtc119', 'chrome120', 'chrome96', 'firefox115', 'chrome130', 'safari16', 'chrome103', 'libwebrtc98']
INTERVALS = [1, 1, 2, 1, 5, 1, 2, 1, 1, 10, 1, 1, 5, 2, 1]


def passenger(seed):
    """Yields (manifest entry, lines) of each call."""
    n = 0
    for make, number, _ in FINE + ILL:
        for k in range(number):
            n += 1
            name = f'passenger{n:03}'
            engine, interval = ENGINES[(n * 5 + seed * 3) % len(ENGINES)], INTERVALS[(n * 4 + seed) % len(INTERVALS)]
            call = Call(name, seed, engine, suited(make.__name__, interval))
            make(call)
            call.run()
            yield call.entry(), call.lines
            if call.mate:
                yield call.entry(name + 'b', call.truth + ' (B records)', call.mate_expect), call.mate_lines


def suited(name, interval):
    """What is short is recorded often enough to be seen."""
    return min(interval, 2) if name in ('gaps', 'roaming', 'asleep', 'ramp', 'outage') else interval
