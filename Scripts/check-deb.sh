#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# check-deb.sh PACKAGE: installs a package in a fresh Debian 12 of its own, makes a call between two clients on the server that it
# installs, and one between two browsers that Prometheus, Alertmanager and a receiver of OTLP watch (check-operation.py), upgrades it, and
# removes it without a trace. Needs root, apt's mirror for what the package depends on, and PyPI for OpenTelemetry's classes.
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(realpath "$1")
[[ $EUID -eq 0 ]] || {
    echo "Please run as root: a chroot is made." >&2
    exit 1
}
Scripts/install-dependencies.sh debootstrap iproute2 chromium prometheus prometheus-alertmanager
otlp=$PWD/.build/otlp
[[ -x $otlp/bin/python ]] || python3 -m venv "$otlp"
"$otlp/bin/pip" install --quiet --disable-pip-version-check opentelemetry-proto==1.45.2

root=$(mktemp -d)
chmod 755 "$root"
finish() {
    [[ -z ${server:-} ]] || kill "$server" 2>/dev/null || true
    umount -q "$root/proc" "$root/dev" "$root/net" || true
    rm -rf --one-file-system "$root"
}
trap finish EXIT

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# With a network of its own that leads nowhere, and without the ports of this machine.
apart() { nsenter --net="$root/net" chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
step() { echo "== $1"; }
fail() {
    tail -qn 5 "$root"/{server.log,alice,bob} 2>/dev/null | cut -c1-300 >&2 || true
    echo "FAILED: $1" >&2
    exit 1
}
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@" >>"$root/log" 2>&1 || { tail -20 "$root/log" >&2 && fail "apt-get $*"; }; }
# What is there, but for what any installation leaves behind.
listing() { (cd "$root" && find etc usr var -xdev ! -path 'var/log*' ! -path 'var/cache*' ! -path 'var/lib/apt*' \
    ! -path 'var/lib/dpkg*' ! -name '*-' ! -name 'ld.so.cache' | sort); }
wait_for() {
    for _ in {1..100}; do
        if "${@:2}" >/dev/null 2>&1; then return; fi
        sleep 0.3
    done
    fail "$1 within 30 s"
}

step "a fresh Debian 12"
debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$root.log" 2>&1 || {
    tail -5 "$root.log" >&2
    fail debootstrap
}
rm "$root.log"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
apt update
# The base system that the removal is held against has what the package depends on.
inside mkdir /work
cp "$package" "$root/work/sightline.deb"
dependencies=$(dpkg-deb -f "$package" Depends | tr ',' '\n' | awk '{ print $1 }')
# shellcheck disable=SC2086
apt install --no-install-recommends $dependencies curl
before=$(listing)

step "installation"
apt install --no-install-recommends /work/sightline.deb
inside sightline --version
for page in sightline sightline-{serve,doctor,token,publish,subscribe,analyze}; do
    inside man -w "$page" >/dev/null 2>&1 || [[ -e $root/usr/share/man/man1/$page.1.gz ]] || fail "no manual page of $page"
done
[[ $(stat -c '%a %U' "$root/etc/sightline/secrets") == "600 root" ]] || fail "the secret can be read by others"
secret=$(<"$root/etc/sightline/secrets")

step "a call on the installed server"
touch "$root/net"
unshare --net="$root/net" sh -ec '
    ip link set lo up
    ip link add call type veth peer name away
    ip address add 10.99.0.1/24 dev call
    ip link set call up
    ip link set away up'
id=$(inside id -u sightline):$(inside id -g sightline)
inside install -d -o sightline -g sightline -m 700 /var/lib/sightline
unit=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/sightline.service")
# shellcheck disable=SC2086
nsenter --net="$root/net" chroot --userspec="$id" "$root" env -i PATH=/usr/bin:/bin "$secret" \
    $unit >"$root/server.log" 2>&1 &
server=$!
wait_for "the server is ready" apart curl -fs http://127.0.0.1:8080/readyz
# shellcheck disable=SC2086
token() { apart env "$secret" sightline token --url http://127.0.0.1:8080 --application-id calls "$@"; }
made=$(token --role publisher --format json)
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1" <<<"$made"; }
publisher=$(field token)
subscriber=$(token --role subscriber --session "$(field session)")
apart sightline publish --url ws://127.0.0.1:8080 --token "$publisher" --duration 12 --format json >"$root/alice" 2>&1 &
alice=$!
apart sightline subscribe --url ws://127.0.0.1:8080 --token "$subscriber" --duration 9 --format json >"$root/bob" 2>&1
wait "$alice"
grep -Eq '"type":"summary"' "$root/bob" && grep -Eq '"video":\{"bytes":[1-9]' "$root/bob" || fail "no video was received"

step "a call of two browsers, watched by Prometheus, Alertmanager and a receiver of OTLP"
kill "$server" && wait "$server" || true
server=
cp -p "$root/etc/sightline/server.json" "$root/work/server.json"
printf '%s' "$(openssl rand -hex 24)" | inside install -o sightline -g sightline -m 600 /dev/stdin /var/lib/sightline/metrics-token
python3 -c 'import json, sys
settings = [json.load(open(path)) for path in sys.argv[1:]]
json.dump(settings[0] | settings[1] | {"metrics-token-file": "/var/lib/sightline/metrics-token"}, open(sys.argv[1], "w"))' \
    "$root/etc/sightline/server.json" <(python3 Scripts/check-operation.py --settings)
# shellcheck disable=SC2086
nsenter --net="$root/net" env "$secret" "$otlp/bin/python" -B Scripts/check-operation.py \
    "chroot $root /usr/bin/sightline" "$root/var/lib/sightline/metrics-token" \
    chroot --userspec="$id" "$root" env -i PATH=/usr/bin:/bin "$secret" $unit
cp -p "$root/work/server.json" "$root/etc/sightline/server.json"

step "upgrade"
sed -i 's/"keep-days": 30/"keep-days": 31/' "$root/etc/sightline/server.json"
next=$root/next
dpkg-deb -R "$package" "$next"
sed -i 's/^Version: .*/&+next/' "$next/DEBIAN/control"
sed -i 's/"keep-days": 30/"keep-days": 29/' "$next/etc/sightline/server.json"
dpkg-deb -Znone -b "$next" "$root/work/next.deb" >/dev/null
rm -r "$next"
apt install --no-install-recommends -o Dpkg::Options::=--force-confold /work/next.deb
grep -q '"keep-days": 31' "$root/etc/sightline/server.json" || fail "the upgrade has overwritten the configuration"
[[ $(<"$root/etc/sightline/secrets") == "$secret" ]] || fail "the upgrade has made another secret"
[[ -s $root/var/lib/sightline/calls.sqlite ]] || fail "the upgrade has lost the store"

step "removal"
apt purge sightline
rm -f "$root/server.log" "$root/alice" "$root/bob"
left=$(comm -13 <(echo "$before") <(listing))
[[ -z $left ]] || fail "these are left: $left"
! inside getent passwd sightline >/dev/null || fail "its user is left"
echo "installed, called, upgraded and removed without a trace"
