# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What happens at alice's beside her call, and that it did.

beside.py upload|compute SERVER PORT FROM TO FILE: FROM and TO are seconds since the call began; FILE is there afterwards.
"""
import json
import os
import pathlib
import signal
import socket
import sys
import time
import urllib.request

PROGRAMS = 4
# Chromium gives that to its encoders where it may, as for root.
NICE = -8


def upload(server, port, end):
    """One TCP connection that sends whatever its line takes."""
    with socket.create_connection((server, port + 1)) as connection:
        # Most uploads fill queues; BBR, which is the default of some machines, does not.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        connection.settimeout(1)
        while time.time() < end:
            try:
                connection.send(bytes(1 << 14))
            except TimeoutError:
                continue
        # What waits still is not sent once the time is over.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))


def compute(end):
    """Programs that compute on the core that alice's browser has."""
    children = []
    for _ in range(PROGRAMS):
        child = os.fork()
        if child == 0:
            os.nice(NICE)
            while time.time() < end:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def time_of_call(server, port):
    """When the call begins, as soon as the server is there to say it."""
    for _ in range(50):
        try:
            with urllib.request.urlopen(f"http://{server}:{port}/begin") as answer:
                return json.load(answer)
        except OSError:
            time.sleep(0.1)
    sys.exit("there is no server")


def main():
    what, server, done = sys.argv[1], sys.argv[2], sys.argv[6]
    port, begin, end = int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    began = time_of_call(server, port)
    time.sleep(max(0, began + begin - time.time()))
    if what == "upload":
        upload(server, port, began + end)
    else:
        compute(began + end)
    pathlib.Path(done).touch()


if __name__ == "__main__":
    main()
