#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Simulates calls whose truth is known: NAME.jsonl each (a recording) and manifest.json. See README.md."""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True

from scenarios import SCENARIOS, SHORT  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('directory')
    parser.add_argument('--seed', type=int, default=1, help='each seed is another set of the same calls')
    parser.add_argument('--only', action='append',
                        help='only calls whose names contain this; may be repeated')
    parser.add_argument('--short', action='store_true', help='only some of each theme')
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    manifest = []
    for scenario in SCENARIOS:
        if options.only and not any(part in scenario.name for part in options.only):
            continue
        if options.short and scenario.name not in SHORT:
            continue
        call = scenario.make(options.seed)
        with open(os.path.join(options.directory, scenario.name + '.jsonl'), 'w') as file:
            file.writelines(json.dumps(report, separators=(',', ':')) + '\n' for report in call.reports)
        manifest.append(call.entry())
    with open(os.path.join(options.directory, 'manifest.json'), 'w') as file:
        json.dump(manifest, file, indent=1)
    print(len(manifest), 'calls in', options.directory)


if __name__ == '__main__':
    main()
