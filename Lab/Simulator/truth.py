# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What is true of a call, as `expect` of the manifest (Lab/Counterexamples/README.md).

A scenario says what is wrong, from when to when. Around that lie moments in which an expert could not know
yet, or would still say it: nothing is scored there. After a lack of bandwidth the estimate climbs back,
and until it has reached what the streams ask for, `recovering` is right.
"""
from typing import NamedTuple

ROLES = {'send': ['publisher'], 'recv': ['subscriber'], 'both': ['publisher', 'subscriber']}
#: The estimate is back where it reaches this share of the demand, or this rate.
RECOVERED_SHARE, RECOVERED_RATE = .85, 3e6


class Problem(NamedTuple):
    """What is wrong for a while. Seconds of the call."""
    begins: float
    ends: float
    #: The cause that is meant, and others that are fair.
    cause: str
    also: tuple
    #: The side that is meant, and others that are fair.
    side: str
    also_side: tuple
    #: `uplink`, `downlink` or `both`.
    direction: str
    #: The media sections that have to be named.
    mids: tuple
    #: How long after its beginning it need not be known.
    lead: float
    #: How long after its end it may still be said.
    trail: float
    #: The flow whose estimate climbs back; `None` if none does.
    recovers: object


class Interval(NamedTuple):
    """An interval of the truth, with any of these causes and sides; no causes where any answer is fair."""
    begins: int
    ends: int
    causes: tuple = ()
    sides: tuple = ()
    direction: str = 'both'
    mids: tuple = ()


def sentence(problems, duration):
    """The truth in one sentence."""
    if not problems:
        return 'nothing wrong'
    parts = []
    for problem in problems:
        part = f'{problem.cause} {problem.begins:g}-{min(duration, problem.ends):g} s, side {problem.side}'
        parts.append(part + (f", mid {','.join(problem.mids)}" if problem.mids else ''))
    return '; '.join(parts)


def intervals(problem, duration):
    """The intervals of a problem: not yet, now, no longer, and the recovery."""
    begins, ends = int(problem.begins + problem.lead), min(duration, int(problem.ends))
    cleared = min(duration, int(problem.ends + problem.trail)) if ends < duration else ends
    yield Interval(int(problem.begins), begins)
    yield Interval(begins, ends, (problem.cause, *problem.also), (problem.side, *problem.also_side),
                   problem.direction, problem.mids)
    yield Interval(ends, cleared)
    if problem.recovers and cleared < duration:
        yield from recovery(problem.recovers, cleared, duration)


def recovery(flow, begins, duration):
    """The intervals in which the estimate climbs back."""
    wanted = min(RECOVERED_SHARE * flow.demand, RECOVERED_RATE)
    ends = begins
    while ends < duration and flow.estimates.get(ends, 0) < wanted:
        ends += 1
    if ends == begins:
        return
    sides = ('none', 'local', 'bothOrUnclear', 'remote', 'unknown')
    yield Interval(begins, min(duration, ends + 1), ('recovering', 'none'), sides)
    if ends + 1 < duration:
        yield Interval(ends + 1, min(duration, ends + 8), ('none', 'recovering'), ('none',))


def expectations(problems, unscored, role, duration, first_report):
    """`expect` of a call: what is wrong, and the intervals `unscored` in which anything may be said.

    The manifest counts from the first report, the scenarios from the beginning of the call.
    """
    result = [Interval(int(begins), min(duration, int(ends))) for begins, ends in unscored]
    for problem in problems:
        result += [interval for interval in intervals(problem, duration) if interval.begins < interval.ends]
    result.sort(key=lambda interval: interval.begins)
    result = [interval for interval in result if interval.ends > first_report]
    return [entry for interval in result for entry in entries(interval, role, first_report)]


def entries(interval, role, first_report):
    """The entries of an interval, for each role whose view shows it and each track that has to be named."""
    roles = ROLES[role]
    if interval.causes and len(roles) == 2 and interval.direction != 'both':
        roles = ['publisher'] if interval.direction == 'uplink' else ['subscriber']
    for who in roles:
        for mid in interval.mids or (None,):
            entry = dict(role=who, cause=list(interval.causes))
            entry['from'] = round(max(0, interval.begins - first_report), 3)
            entry['to'] = round(interval.ends - first_report, 3)
            if interval.causes and who == 'subscriber':
                entry['side'] = list(interval.sides)
            if mid is not None:
                entry['track'] = mid
            yield entry
