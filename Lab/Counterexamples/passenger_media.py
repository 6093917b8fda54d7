# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The usual shapes of the calls of the set passenger: a meeting, a pair, and audio alone."""


def conference(call, own=None, trip=None, others=None, tops=None, camera=True, simulcast=True, codec=None, mode=None, pace=None, cap=None, most=None, wide=1280, high=720, quiet=False):
    """A meeting of three to six; this end speaks and films."""
    rng = call.rng
    call.meets(own or rng.choice(['wifi', 'cable', 'fibre', 'office', '5g']), trip)
    codec = codec or ('VP8' if simulcast or rng.random() < 0.5 else rng.choice(['VP9', 'H264', 'AV1']))
    call.speak(dtx=rng.random() < 0.7, red=rng.random() < 0.25)
    if camera:
        call.film(codec=codec, simulcast=simulcast, mode=mode, pace=pace, cap=cap, most=most, wide=wide, high=high)
    number = others or rng.choice([2, 2, 3, 4])
    for k in range(number):
        top = tops[k] if tops and k < len(tops) else rng.choice([2, 1, 1, 0]) if k else 2
        call.join(rng.choice(['cable', 'fibre', 'wifi', 'office']), top=top, audio=not quiet or k < 4, talks=0.12 if quiet or number > 3 else 0.3, dtx=rng.random() < 0.8, codec=codec if mode else 'VP8')
    return call


def pair(call, own=None, other=None, trip=None, codec=None, wide=1280, high=720, fps=30, most=1.7e6, pace=None, video=True, red=0, dtx=None, both=True):
    """Two peers."""
    rng = call.rng
    call.peers(own or rng.choice(['wifi', 'cable', 'fibre']), other or rng.choice(['cable', 'fibre', 'wifi']), trip)
    codec = codec or rng.choice(['VP8', 'VP8', 'VP9', 'H264'])
    dtx = rng.random() < 0.5 if dtx is None else dtx
    call.speak(dtx=dtx, red=red)
    if video:
        call.film(codec=codec, wide=wide, high=high, fps=fps, most=most, pace=pace)
    call.answer(video=video, codec=codec, wide=wide, high=high, fps=fps, most=most, dtx=dtx, red=red)
    return call


def talk(call, own=None, others=None, talks=0.45, red=0, dtx=True):
    """Audio alone, by way of a router."""
    call.meets(own or call.rng.choice(['wifi', 'cable', 'lte']))
    call.speak(dtx=dtx, red=red, talks=talks)
    for _ in range(others or 2):
        call.join(call.rng.choice(['cable', 'wifi', 'fibre']), video=False, talks=talks, dtx=dtx, red=red)
    return call
