#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# nat.sh [BINARY]: a server behind a NAT that maps its address one to one, as clouds have it, and a publisher whose firewall
# lets nothing in that it did not ask for: without --media-address no media get through, with it they do. As root, in
# network namespaces of its own; needs nft.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$(realpath "${1:-.build/debug/sightline}")
inside=10.9.0.2 outside=198.18.0.7 client=198.18.0.2
folder=$(mktemp -d)
export SIGHTLINE_SECRET=$(openssl rand -hex 32)
server=

clean() {
    [[ -n $server ]] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    for name in server nat client; do ip netns del "sl-nat-$name" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap clean EXIT
on() { ip netns exec "sl-nat-$1" "${@:2}"; }

for name in server nat client; do
    ip netns add "sl-nat-$name"
    on "$name" ip link set lo up
done
ip link add sl-in type veth peer name sl-inside
ip link add sl-out type veth peer name sl-outside
ip link set sl-in netns sl-nat-nat && ip link set sl-inside netns sl-nat-server
ip link set sl-out netns sl-nat-nat && ip link set sl-outside netns sl-nat-client
on server ip address add $inside/24 dev sl-inside && on server ip link set sl-inside up
on client ip address add $client/24 dev sl-outside && on client ip link set sl-outside up
on nat ip address add 10.9.0.1/24 dev sl-in && on nat ip link set sl-in up
for address in 198.18.0.1 $outside; do on nat ip address add $address/24 dev sl-out; done
on nat ip link set sl-out up
on server ip route add default via 10.9.0.1
on nat sysctl -qw net.ipv4.ip_forward=1
on nat nft -f - <<RULES
table ip nat {
    chain in { type nat hook prerouting priority dstnat; ip daddr $outside dnat to $inside; }
    chain out { type nat hook postrouting priority srcnat; ip saddr $inside oifname "sl-out" snat to $outside; }
}
RULES
on client nft -f - <<RULES
table inet firewall {
    chain in {
        type filter hook input priority filter; policy drop;
        ct state established,related accept
        iif lo accept
    }
}
RULES

# try WHAT OPTIONS...: what a publisher outside has sent by the end of ten seconds.
try() {
    ip netns exec sl-nat-server "$binary" serve --host 0.0.0.0 --port 8080 --media-ports 40000-40099 --log-level error "${@:2}" \
        2>"$folder/server" &
    server=$!
    for _ in $(seq 100); do
        on client curl -sf -o /dev/null http://$outside:8080/readyz && break
        sleep 0.1
    done
    token=$(on client "$binary" token --url http://$outside:8080 --role publisher 2>/dev/null | tail -1)
    on client timeout 30 "$binary" publish --url http://$outside:8080 --token "$token" --format json --duration 10 \
        >"$folder/out" 2>"$folder/err" || true
    kill $server && wait $server 2>/dev/null || true
    server=
    # The highest count of any sample; none without a connection.
    packets=$(grep -o '"videoPacketsSent":[0-9]*' "$folder/out" | cut -d: -f2 | sort -n | tail -1)
    echo "$1: ${packets:-0} video packets sent"
    packets=${packets:-0}
}

try "without --media-address"
without=$packets
try "with --media-address $outside" --media-address $outside
with=$packets
((without == 0 && with > 100)) || { cat "$folder/err" "$folder/server" >&2; echo "that is not as it should be"; exit 1; }
