#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# check-image.sh PACKAGE: does what the last stage of Packaging/docker/Dockerfile says in a fresh Debian 12 of its own, with a package that is
# built, and runs its command as its user: the server gets ready, and ends at SIGTERM. Needs root, and apt's mirror. No
# Docker is needed, nor used: the first stage is the release build and package-deb.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(realpath "$1")
[[ $EUID -eq 0 ]] || {
    echo "Please run as root: a chroot is made." >&2
    exit 1
}
Scripts/install-dependencies.sh debootstrap iproute2

root=$(mktemp -d)
chmod 755 "$root"
server=
finish() {
    [[ -z $server ]] || kill -KILL "$server" 2>/dev/null || true
    umount -q "$root/proc" "$root/dev" "$root/net" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap finish EXIT
fail() {
    tail -qn 20 "$root/server.log" 2>/dev/null | cut -c1-300 >&2 || true
    echo "FAILED: $1" >&2
    exit 1
}

debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$root.log" 2>&1 || { tail -5 "$root.log" >&2; fail debootstrap; }
rm "$root.log"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
user=0:0 command=() stage=0
while read -r instruction rest; do
    case $instruction in
    FROM) stage=$((stage + 1)) ;;
    COPY)
        [[ $stage -eq 2 ]] || continue
        read -ra words <<<"$rest"
        target=$root${words[-1]}
        mkdir -p "$(dirname "$target")"
        if [[ ${words[0]} == --from=* ]]; then cp "$package" "$target"; else cp "${words[0]}" "$target"; fi
        ;;
    RUN)
        [[ $stage -eq 2 ]] || continue
        echo "== $rest"
        chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$rest" >"$root/run.log" 2>&1 || { tail -5 "$root/run.log" >&2; fail "$rest"; }
        ;;
    USER) user=$rest ;;
    ENTRYPOINT | CMD) mapfile -t -O "${#command[@]}" command < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), sep="\n")' "$rest") ;;
    esac
done < <(grep -vE '^(#|$)' Packaging/docker/Dockerfile)

echo "== ${command[*]} as $user"
[[ ! -e $root/etc/sightline/secrets ]] || fail "the image has a secret"
touch "$root/net"
unshare --net="$root/net" ip link set lo up
secret=$(openssl rand -hex 32)
nsenter --net="$root/net" chroot --userspec="$user" "$root" env -i PATH=/usr/bin:/bin SIGHTLINE_SECRET="$secret" \
    SIGHTLINE_MEDIA_ADDRESS=192.0.2.1 "${command[@]}" >"$root/server.log" 2>&1 &
server=$!
apart() { nsenter --net="$root/net" chroot --userspec="$user" "$root" env -i PATH=/usr/bin:/bin "$@"; }
for _ in {1..100}; do
    if apart curl -fsS http://127.0.0.1:8080/readyz >/dev/null 2>&1; then break; fi
    kill -0 "$server" 2>/dev/null || fail "the server has ended"
    sleep 0.3
done
apart curl -fsS http://127.0.0.1:8080/readyz >/dev/null || fail "the server is ready within 30 s"
apart curl -fsS http://127.0.0.1:8080/livez >/dev/null || fail "the health check"
[[ -s $root/var/lib/sightline/calls.sqlite ]] || fail "there is no store"
apart curl -fsS -u "calls:$secret" -X POST http://127.0.0.1:8080/v1/sessions >/dev/null || fail "no session is made"
child=$(pgrep -P "$server" | head -1)
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
[[ $code -eq 0 ]] || fail "exit code $code at SIGTERM (child $child)"
echo "the image's commands ran, its server got ready, made a session and ended at SIGTERM"
