# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The router of the calls of `guest.py`: it forwards a layer of each video, and chooses which by one simple rule or not at all."""


class ForwardedVideo:
    """A published video on its way to a subscriber: of one layer at a time, with sequence and frame numbers of its own."""

    def __init__(self, simulation, transport, stream, camera, layers):
        self.simulation, self.transport, self.stream, self.camera, self.layers = simulation, transport, stream, camera, layers
        self.layer = None
        self.target = self.wanted = self.highest = len(layers) - 1
        self.sequence_offset = self.frame_offset = 0
        self.last_sequence = self.last_frame = -1
        self.first_frame = 0
        self.paused = False
        self.unwanted = False  # by the subscriber
        self.no_key_frames = False
        self.last_asked = -9
        self.last_switch = 0
        stream.transport = transport
        stream.ask_key = self.ask_key
        for index, layer in enumerate(layers):
            layer.forward = lambda packet, now, index=index: self.packet(packet, now, index)
        self.take_layers()

    def take_layers(self):
        """Has the publisher send the layers that are used, and no others."""
        self.camera.wanted = set() if self.paused else {layer for layer in (self.layer, self.target) if layer is not None}

    def switch(self, layer):
        if layer == self.target and not self.paused:
            return
        if layer < self.target and self.layer is not None and self.transport.queue_delay() > .1:
            self.layer = None
            self.drain()
        self.target = layer
        self.take_layers()
        self.ask_key(layer)

    def drain(self):
        """Discards what waits in the pacer; the numbers continue where it began."""
        gone = self.transport.purge(self.stream)
        if gone:
            self.last_sequence, self.last_frame = gone[0] - 1, gone[1]

    def pause(self, paused):
        if paused == self.paused:
            return
        self.paused = paused
        if not paused:
            self.layer = None
            self.take_layers()
            self.ask_key(self.target)
        else:
            self.take_layers()
            if self.transport.queue_delay() > .1:
                self.drain()

    def ask_key(self, layer=None):
        now = self.simulation.now
        if now - self.last_asked < .2:
            return
        self.last_asked = now
        if self.no_key_frames:
            return
        received = self.layers[min(self.target if layer is None else layer, len(self.layers) - 1)]
        received.last_pli = -9
        received.pli(now)

    def packet(self, packet, now, layer):
        if self.paused or not self.is_forwarded(packet, layer) or packet.frame < self.first_frame:
            return
        copy = packet.copy()
        copy.stream = self.stream
        copy.sequence = packet.sequence + self.sequence_offset
        copy.frame = packet.frame + self.frame_offset
        copy.is_repair = False
        self.last_sequence = max(self.last_sequence, copy.sequence)
        self.last_frame = max(self.last_frame, copy.frame)
        self.stream.width, self.stream.height = packet.width, packet.height
        self.stream.remember(copy)
        self.transport.put(copy, True)

    def is_forwarded(self, packet, layer):
        """Whether the packet is of the layer that is forwarded; switches at a key frame of the target."""
        if layer == self.layer:
            return True
        if layer != self.target:
            return False
        if packet.is_key and packet.index == 0:
            self.layer = layer
            self.sequence_offset = self.last_sequence + 1 - packet.sequence
            self.frame_offset = self.last_frame + 1 - packet.frame
            self.first_frame = packet.frame
            self.take_layers()
            return True
        if not self.no_key_frames and self.simulation.now - self.last_asked > .7:
            self.ask_key(layer)
        return False


class ForwardedAudio:
    """A published audio on its way to a subscriber; after a pause its sequence numbers continue."""

    def __init__(self, transport, stream, received):
        self.transport, self.stream = transport, stream
        self.paused = False
        self.was_paused = False
        self.sequence_offset = 0
        self.last_sequence = -1
        stream.transport = transport
        received.forward = self.packet

    def packet(self, packet, now):
        if self.paused:
            self.was_paused = True
            return
        if self.was_paused:
            self.sequence_offset = self.last_sequence + 1 - packet.sequence
            self.was_paused = False
        copy = packet.copy()
        copy.stream = self.stream
        copy.sequence = packet.sequence + self.sequence_offset
        self.last_sequence = max(self.last_sequence, copy.sequence)
        self.transport.put(copy, False)


class Allocation:
    """Which layer of each video goes to the subscriber: down at once, up with care; a router that does not adapt sends what is wanted."""

    def __init__(self, simulation, transport, videos, rates, audios, adapts):
        self.transport, self.videos, self.rates, self.audios, self.adapts = transport, videos, rates, audios, adapts
        self.last_change = 0
        simulation.ticks.append(self.tick)

    def needed(self):
        return 52e3 * self.audios + sum(self.rates[video.wanted] for video in self.videos if not video.paused or video.unwanted is False) * 1.15

    def tick(self, now, step):
        if step % 25:
            return
        for video in self.videos:
            self.find_highest(video)
            if not self.adapts and not video.paused:
                self.follow(video, now)
        if self.adapts:
            self.allocate(now)

    def find_highest(self, video):
        """Layers that the publisher does not send (any more) are passed over."""
        live = [index for index, layer in enumerate(video.camera.layers) if layer.stream.allocated]
        video.highest = max(live) if live else len(video.layers) - 1

    def follow(self, video, now):
        """Without adaptation: the layer that is wanted, or the highest that there is."""
        layer = min(video.wanted, video.highest)
        if video.target > video.highest:
            video.switch(video.highest)
            video.last_switch = now
        elif video.target < layer and now - video.last_switch > 2.5:
            video.switch(layer)
            video.last_switch = now

    def allocate(self, now):
        videos = [video for video in self.videos if not video.unwanted]
        layers = self.affordable(videos)
        for video in videos:
            layer = layers[video]
            if layer < 0:
                if len(self.videos) <= 1 or video is videos[0]:
                    video.switch(0)
                elif now > 3:
                    video.pause(True)
            elif video.paused:
                if now - self.last_change > 3:
                    video.target = layer
                    video.pause(False)
                    self.last_change = now
            elif layer < video.target:
                video.switch(layer)
                self.last_change = now
            elif layer > video.target and now - self.last_change > 2.5:
                video.switch(layer)
                self.last_change = now - 1.5

    def affordable(self, videos):
        """The layer of each video for which there is bit rate, -1 for none: first the lowest of all, then the next."""
        left = self.transport.congestion.estimate * .9 - self.audios * 52e3
        layers = {video: -1 for video in videos}
        for layer in range(max(len(video.layers) for video in videos) if videos else 0):
            for video in videos:
                if layers[video] == layer - 1 and layer <= video.wanted and layer <= video.highest:
                    more = self.rates[layer] - (self.rates[layer - 1] if layer else 0)
                    if left >= more * (1 if layer <= video.target and not video.paused else 1.15):
                        left -= more
                        layers[video] = layer
        return layers
