#!/usr/bin/env bash
# What samples cost a server whose store is PostgreSQL, and what pages wait with a million sessions in it: starts one of its own in a new folder, and measures.
# The program that measures is the first argument; the parts of it follow: cluster, nodes, million, or all without any.
set -eu
bench=$(realpath "$1")
binaries=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
if [ -z "$binaries" ]; then
    echo "PostgreSQL is not installed (apt install postgresql)" >&2
    exit 1
fi
# Short: the path of a socket has 107 characters at most.
folder=$(mktemp -d /tmp/slbench-XXXXXX)
as=()
if [ "$(id -u)" = 0 ]; then
    chown postgres "$folder"
    as=(setpriv --reuid postgres --regid postgres --clear-groups)
fi
server=
# It fails where a goal is missed.
code=0
end() {
    if [ -n "$server" ]; then
        kill -INT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap end EXIT
cd /
"${as[@]}" "$binaries/initdb" -D "$folder/data" -U sightline -A trust >"$folder/initdb" 2>&1
# As it comes, but reached by nothing else: each commit waits for the disk.
"${as[@]}" "$binaries/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= >"$folder/log" 2>&1 &
server=$!
for _ in $(seq 100); do
    if "$binaries/pg_isready" -q -h "$folder"; then break; fi
    sleep 0.1
done
# measure PART: in a database of its own.
measure() {
    "$binaries/createdb" -h "$folder" -U sightline "$1"
    SIGHTLINE_CLUSTER="host=$folder user=sightline dbname=$1" "$bench" "$1" || code=$?
}
parts=" ${*:2} "
is_wanted() { [[ $parts == "  " || $parts == *" $1 "* ]]; }
if is_wanted cluster; then measure cluster; fi
if is_wanted nodes; then measure nodes; fi
if is_wanted million; then measure million; fi
exit "$code"
