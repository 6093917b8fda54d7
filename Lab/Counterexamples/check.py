#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Checks what generate.py wrote: JSON, times, counters that never fall, causes and roles of the manifest, tracks that exist."""
import json
import os
import sys

CAUSES = set('none packetLoss bandwidth latency jitter connection cpu device media recovering unknown'.split())
SIDES = set('none local remote bothOrUnclear server unknown'.split())
SEVERITIES = ['noticeable', 'disturbing', 'bad', 'unusable']
RISES = ('packets', 'bytes', 'frames', 'total', 'headerBytes', 'keyFrames', 'retransmitted', 'concealed', 'silentConcealed', 'freeze', 'pause', 'nack', 'pli', 'fir', 'qpSum', 'jitterBuffer',
         'responses', 'requests', 'inserted', 'removed', 'reports', 'roundTripTimeMeasurements', 'consent')
NOT = {'framesPerSecond', 'packetsLost'}  # a packet that comes late is no longer lost (RFC 3550, 6.4.1)
GIVEN = {'totalRoundTripTime'}  # is the newest times a count there; the figures of that set stay as they are


def main(directory):
    faults, manifest = [], json.load(open(os.path.join(directory, 'manifest.json')))
    for call in manifest:
        name, last, times, seen = call['name'], {}, {}, set()
        lines = [json.loads(line) for line in open(os.path.join(directory, name + '.jsonl'))]
        begin = lines[0]['time']
        for k, line in enumerate(lines):
            if not {'elapsed', 'repeats'} & set(call) and line['time'] <= times.get(line['pc'], -1) and 'remainingInTick' not in line and 'connection' not in line:
                faults.append(f'{name}: time stands still at line {k}')
            times[line['pc']] = line['time']
            ids = [e['id'] for e in line['stats']]
            if len(ids) != len(set(ids)):
                faults.append(f'{name}: an id twice at line {k}')
            for e in line['stats']:
                seen |= {e.get('mid'), e.get('trackIdentifier')}
                if e['timestamp'] > line['time'] + 1000 and 'elapsed' not in call:
                    faults.append(f'{name}: {e["id"]} is ahead of its time at line {k}')
                key = line['pc'], str(line.get('connection')), e['id']
                for m, v in e.items():
                    if 'falls' not in call and m.startswith(RISES) and m not in NOT and (call['set'] != 'given' or m not in GIVEN) and isinstance(v, (int, float)) and not isinstance(v, bool):
                        if v < last.get((key, m), 0) - 1e-6:
                            faults.append(f'{name}: {e["id"]}.{m} falls from {last[key, m]} to {v} at line {k}')
                        last[key, m] = v
                if any(isinstance(v, float) and v != v for v in e.values()):
                    faults.append(f'{name}: not a number in {e["id"]}')
        length = call['elapsed'][-1] if 'elapsed' in call else (lines[-1]['time'] - begin) / 1000 + 1
        for e in call['expect']:
            if not 0 <= e['from'] < e['to'] <= length + 1 or set(e['cause']) - CAUSES or set(e.get('side', [])) - SIDES or e['role'] not in ('publisher', 'subscriber'):
                faults.append(f'{name}: {e} ({length} s)')
            if {e.get('atLeast'), e.get('atMost')} - {None, *SEVERITIES} or e.get('track') and e['track'] not in seen:
                faults.append(f'{name}: {e}')
    print('\n'.join(faults[:60]))
    print(len(manifest), 'calls,', len(faults), 'faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
