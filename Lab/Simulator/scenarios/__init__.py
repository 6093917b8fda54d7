# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The calls, by what is wrong in them: one function each, which says in the order of time what happens."""
from scenario import SCENARIOS
from scenarios import bandwidth, cpu, loss, delay, path, media, clean  # noqa: F401 (each adds its own)

#: A quarter of them, of all themes, engines and topologies, for tests that have little time.
SHORT = {
    'bw01-chrome-uplink-sudden', 'bw05-native-downlink-sfu-leg', 'bw07-chrome-p2p-receiver-downlink',
    'bw12-safari-other-upload-2s', 'bw16-chrome-p2p-easy-content-uplink', 'cpu01-chrome-encoder', 'cpu04-safari-decoder',
    'loss01-chrome-uplink-random', 'loss03-firefox-downlink', 'loss04-safari-audio-only-p2p',
    'loss09-chrome-far-uplink-named', 'jit02-safari-downlink', 'lat02-firefox-vpn-step',
    'lat03-native-satellite', 'hand02-chrome-longer-path', 'out01-chrome-downlink-8s',
    'out02-firefox-p2p-12s', 'med01-chrome-6-one-undecodable', 'med05-native-missing-video',
    'dev01-chrome-camera-frozen', 'dev03-chrome-dead-mic-zero', 'ok05-chrome-hold',
    'ok07-safari-remote-muted-sfu-stops', 'ok18-native-third-percent-send', 'ok22-chrome-5-one-leaves',
    'ok28-firefoxold-clean', 'ok35-chrome-starts-small',
}

__all__ = ['SCENARIOS', 'SHORT']
