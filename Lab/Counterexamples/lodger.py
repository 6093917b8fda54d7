# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The set lodger: calls by packets, with labels by someone who had seen neither the rules nor the other sets.

Labels are physical: the cause is what was done to the network, machine, or device, in the role whose media it harms. Several causes are given where
the same figures have more than one name: a sudden lack of bandwidth loses packets too, a full queue is delay, a radio that stalls is jitter and delay.
In the other role silence is right as well as what the shared round trip time shows. The time in which estimates climb and buffers shrink is an interval
of its own with `none`, `recovering` and the cause. A side is given only for what is received through a router: `local` where all streams suffer, and
`remote` with the track where one of several does."""
import random

from lodger_call import Call
from lodger_fine import FINE
from lodger_ill import ILL
from lodger_parts import PARTS


def lodger(seed):
    """Entries and lines of all calls, drawn from the seed."""
    for make in FINE + ILL + PARTS:
        name = make.__name__.replace('_', '-')
        call = make(lambda **options: Call(name, seed, **options), random.Random(f'lodger {name} draws {seed}'))
        call.truth = make.__doc__
        yield call.run()
