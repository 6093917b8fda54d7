#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Writes calls whose truth is known: NAME.jsonl each (a Sightline recording) and manifest.json with the truths. See README.md."""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True

from given import given  # noqa: E402
from guest import guest  # noqa: E402
from lodger import lodger  # noqa: E402
from neighbour import neighbour  # noqa: E402
from outsider import outsider  # noqa: E402
from passenger import passenger  # noqa: E402
from scenarios import drawn, more  # noqa: E402
from stranger import stranger  # noqa: E402
from tenant import tenant  # noqa: E402
from visitor import visitor  # noqa: E402

DEFAULT = ['given', 'more', 'outsider', 'stranger', 'visitor', 'guest', 'tenant', 'lodger', 'neighbour']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('directory')
    parser.add_argument('--seed', type=int, default=1, help='of the sets guest, lodger, neighbour, passenger, random, stranger, tenant and visitor; each seed is another set')
    parser.add_argument('--set', action='append', choices=[*DEFAULT, 'passenger', 'random'], help='default: all but passenger and random')
    options = parser.parse_args()
    makers = dict(given=given, more=more, outsider=outsider, stranger=lambda: stranger(options.seed), visitor=lambda: visitor(options.seed),
                  guest=lambda: guest(options.seed), tenant=lambda: tenant(options.seed), lodger=lambda: lodger(options.seed), neighbour=lambda: neighbour(options.seed),
                  passenger=lambda: passenger(options.seed), random=lambda: drawn(options.seed))
    os.makedirs(options.directory, exist_ok=True)
    manifest = []
    for which in options.set or DEFAULT:
        for entry, lines in makers[which]():
            with open(os.path.join(options.directory, entry['name'] + '.jsonl'), 'w') as file:
                file.writelines(json.dumps(line) + '\n' for line in lines)
            manifest.append(entry)
    with open(os.path.join(options.directory, 'manifest.json'), 'w') as file:
        json.dump(manifest, file, indent=1)
    print(len(manifest), 'calls in', options.directory)


if __name__ == '__main__':
    main()
