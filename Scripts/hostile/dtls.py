# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What a client needs to get keys from a leg, and to do on the way there what it should not: DTLS 1.2 and SRTP.

Nothing here waits or sends: records come out as bytes, and datagrams go in. It is the only module that needs more than Python
itself, `cryptography`; attacks import it when they are carried out.
"""

import datetime
import hashlib
import hmac
import os
import struct

from cryptography import exceptions, x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

# Types of records.
CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA = 20, 21, 22, 23
# Types of handshake messages.
CLIENT_HELLO, SERVER_HELLO, CERTIFICATE, SERVER_KEY_EXCHANGE, SERVER_HELLO_DONE = 1, 2, 11, 12, 14
CERTIFICATE_VERIFY, CLIENT_KEY_EXCHANGE, FINISHED = 15, 16, 20
# Levels and descriptions of alerts.
WARNING, FATAL = 1, 2
CLOSE_NOTIFY, HANDSHAKE_FAILURE, USER_CANCELED = 0, 40, 90

VERSION = b"\xfe\xfd"
RECORD_HEADER, MESSAGE_HEADER, SEAL = 13, 12, 16
ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, NULL_WITH_MD5 = 0xC02B, 0x0001
SECP256R1, ECDSA_WITH_SHA256, AES128_CM_SHA1_80 = 23, 0x0403, 1


class Certificate:
    """A key on the curve P-256, and its certificate signed by itself."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hostile")])
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
        builder = builder.public_key(self.key.public_key())
        builder = builder.not_valid_before(datetime.datetime(2020, 1, 1)).not_valid_after(datetime.datetime(2040, 1, 1))
        self.der = builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self):
        """As a description has it."""
        return ":".join(f"{byte:02X}" for byte in hashlib.sha256(self.der).digest())


def derived(secret, label, seed, length):
    """The pseudo-random function of TLS 1.2 (RFC 5246)."""
    seed, made = label + seed, b""
    link = seed
    while len(made) < length:
        link = hmac.digest(secret, link, "sha256")
        made += hmac.digest(secret, link + seed, "sha256")
    return made[:length]


def _extension(type, body):
    return struct.pack("!HH", type, len(body)) + body


def _message(type, number, body):
    """A handshake message in one fragment."""
    length = len(body).to_bytes(3, "big")
    return bytes([type]) + length + struct.pack("!H", number) + bytes(3) + length + body


class Connection:
    """The client's end of a connection, a step at a time: `hello`, `answer`, `change`, `finished`.

    Each step returns records, which may be sent in any order, more than once, or not at all.
    """

    def __init__(self, certificate, suite=ECDHE_ECDSA_WITH_AES_128_GCM_SHA256):
        self.certificate, self.suite = certificate, suite
        self.client_random = os.urandom(32)
        # Of records that are sent: the epoch, the next number in each, and how they are sealed.
        self.epoch, self.numbers = 0, [0, 0]
        self.write_key = self.read_key = None
        self.own_messages, self.transcript = 0, b""
        self.fragments, self.next_message = {}, 0
        # What has come: the bodies of handshake messages by type, and alerts.
        self.messages, self.alerts = {}, []
        self.finished_message = None
        self.finished_records = 0

    # Records

    def record(self, type, body):
        """A record of any type in the current epoch."""
        number = struct.pack("!HHI", self.epoch, 0, self.numbers[self.epoch])
        self.numbers[self.epoch] += 1
        if self.epoch:
            bound = number + bytes([type]) + VERSION + struct.pack("!H", len(body))
            body = number + AESGCM(self.write_key).encrypt(self.write_salt + number, body, bound)
        return bytes([type]) + VERSION + number + struct.pack("!H", len(body)) + body

    def alert(self, level, description):
        return self.record(ALERT, bytes([level, description]))

    def receive(self, datagram):
        """Takes what it can read."""
        while len(datagram) >= RECORD_HEADER:
            type, number = datagram[0], datagram[3:11]
            (length,) = struct.unpack("!H", datagram[11:13])
            body, datagram = datagram[RECORD_HEADER:RECORD_HEADER + length], datagram[RECORD_HEADER + length:]
            if number[:2] != b"\0\0":
                body = self._opened(type, number, body)
            if type == ALERT and body:
                self.alerts.append(tuple(body))
            elif type == HANDSHAKE and body:
                if number[:2] != b"\0\0" and body[0] == FINISHED:
                    self.finished_records += 1
                self._collect(body)

    def _opened(self, type, number, body):
        """The text of a record, or nothing."""
        length = len(body) - len(number) - SEAL
        if not self.read_key or length < 0:
            return b""
        bound = number + bytes([type]) + VERSION + struct.pack("!H", length)
        try:
            return AESGCM(self.read_key).decrypt(self.read_salt + body[:8], body[8:], bound)
        except exceptions.InvalidTag:
            return b""

    def _collect(self, body):
        """Puts fragments of messages together, in whatever order they come."""
        while len(body) >= MESSAGE_HEADER:
            type, number = body[0], struct.unpack("!H", body[4:6])[0]
            total, offset, length = (int.from_bytes(body[at:at + 3], "big") for at in (1, 6, 9))
            _, text, got = self.fragments.setdefault(number, (type, bytearray(total), set()))
            text[offset:offset + length] = body[MESSAGE_HEADER:MESSAGE_HEADER + length]
            got.update(range(offset, offset + length))
            body = body[MESSAGE_HEADER + length:]
        while self.next_message in self.fragments:
            type, text, got = self.fragments[self.next_message]
            if len(got) < len(text):
                return
            self.messages[type] = bytes(text)
            self.transcript += _message(type, self.next_message, bytes(text))
            self.next_message += 1

    # The handshake

    def _say(self, type, body):
        message = _message(type, self.own_messages, body)
        self.own_messages += 1
        self.transcript += message
        return self.record(HANDSHAKE, message)

    def hello(self):
        extensions = (
            _extension(10, struct.pack("!HH", 2, SECP256R1)) + _extension(11, b"\1\0")
            + _extension(13, struct.pack("!HH", 2, ECDSA_WITH_SHA256))
            + _extension(14, struct.pack("!HHB", 2, AES128_CM_SHA1_80, 0)) + _extension(0xFF01, b"\0"))
        suites = struct.pack("!HH", 2, self.suite)
        # Neither a session nor a cookie; no compression.
        body = VERSION + self.client_random + b"\0\0" + suites + b"\1\0"
        return self._say(CLIENT_HELLO, body + struct.pack("!H", len(extensions)) + extensions)

    @property
    def is_greeted(self):
        """Whether all of the server's answer to the hello is here."""
        return SERVER_HELLO_DONE in self.messages

    def answer(self):
        """Certificate, key exchange, and the proof that the certificate is one's own."""
        self.server_random = self.messages[SERVER_HELLO][2:34]
        exchange = self.messages[SERVER_KEY_EXCHANGE]
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), exchange[4:4 + exchange[3]])
        own = ec.generate_private_key(ec.SECP256R1())
        point = own.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        entry = len(self.certificate.der).to_bytes(3, "big") + self.certificate.der
        records = [
            self._say(CERTIFICATE, len(entry).to_bytes(3, "big") + entry),
            self._say(CLIENT_KEY_EXCHANGE, bytes([len(point)]) + point),
        ]
        randoms = self.client_random + self.server_random
        self.secret = derived(own.exchange(ec.ECDH(), theirs), b"master secret", randoms, 48)
        seal = self.certificate.key.sign(self.transcript, ec.ECDSA(hashes.SHA256()))
        records.append(self._say(CERTIFICATE_VERIFY, struct.pack("!HH", ECDSA_WITH_SHA256, len(seal)) + seal))
        return records

    def change(self):
        """Ends the epoch without keys."""
        record = self.record(CHANGE_CIPHER_SPEC, b"\1")
        block = derived(self.secret, b"key expansion", self.server_random + self.client_random, 40)
        self.write_key, self.read_key = block[:16], block[16:32]
        self.write_salt, self.read_salt = block[32:36], block[36:]
        self.epoch = 1
        return record

    def finished(self):
        """The last message; said again it is the same message, as of a client that has not heard the server's."""
        if self.finished_message:
            return self.record(HANDSHAKE, self.finished_message)
        proof = derived(self.secret, b"client finished", hashlib.sha256(self.transcript).digest(), 12)
        self.finished_message = _message(FINISHED, self.own_messages, proof)
        self.own_messages += 1
        self.transcript += self.finished_message
        return self.record(HANDSHAKE, self.finished_message)

    @property
    def is_connected(self):
        return FINISHED in self.messages

    def srtp(self):
        """What protects the packets that are sent (RFC 5764)."""
        block = derived(self.secret, b"EXTRACTOR-dtls_srtp", self.client_random + self.server_random, 60)
        return SRTP(block[:16], block[32:46])


class SRTP:
    """Protects RTP packets by AES_128_CM_HMAC_SHA1_80 (RFC 3711), within the first 65,536 numbers of a stream."""

    def __init__(self, key, salt):
        self.key, self.seal_key, self.salt = (
            self._derived(key, salt, label, length) for label, length in ((0, 16), (1, 20), (2, 14)))

    @staticmethod
    def _derived(key, salt, label, length):
        start = (int.from_bytes(salt, "big") ^ label << 48) << 16
        return SRTP._counted(key, start, bytes(length))

    @staticmethod
    def _counted(key, start, data):
        return Cipher(algorithms.AES(key), modes.CTR(start.to_bytes(16, "big"))).encryptor().update(data)

    def packet(self, number, source, payload_type=111, payload=b"\1\2\3"):
        """A protected packet without extensions."""
        header = struct.pack("!BBHII", 0x80, payload_type, number, number * 960, source)
        start = int.from_bytes(self.salt, "big") << 16 ^ source << 64 ^ number << 16
        packet = header + self._counted(self.key, start, payload)
        return packet + hmac.digest(self.seal_key, packet + bytes(4), "sha1")[:10]
