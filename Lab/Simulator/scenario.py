# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The list of the scenarios."""
from typing import Callable, NamedTuple

from call import Call

SCENARIOS = []


class Scenario(NamedTuple):
    """A call to be made: the options of `Call`, and a function that says what happens in it."""
    name: str
    options: dict
    describe: Callable

    def make(self, seed):
        """The call with the draws of a seed, after it happened."""
        call = Call(seed, self.name, **self.options)
        self.describe(call)
        call.run()
        return call


def scenario(**options):
    """Adds the function below to the list, by its own name."""
    def add(describe):
        SCENARIOS.append(Scenario(describe.__name__.replace('_', '-'), options, describe))
        return describe
    return add
