# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What the calls are made of."""


def expectation(role, begin, end, cause, side=None, **more):
    """What must be said of one interval: any of the causes, any of the sides (both as words in one string)."""
    e = dict([('from', begin), ('to', end), ('role', role), ('cause', cause.split())])
    if side:
        e['side'] = side.split()
    e.update({k: v for k, v in more.items() if v is not None})
    return e


def pub(*arguments, **more):
    return expectation('publisher', *arguments, **more)


def sub(*arguments, **more):
    return expectation('subscriber', *arguments, **more)
