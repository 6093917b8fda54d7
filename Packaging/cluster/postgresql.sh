#!/bin/sh
# What is done with the two servers of PostgreSQL; as the user postgres, on the machine that it is about.
#
#   postgresql.sh standby PRIMARY DATA   makes DATA a standby of the primary, and removes what was there; the server of DATA is down
#   postgresql.sh synchronous PRIMARY    once a standby is there, the primary acknowledges nothing that it has not
#   postgresql.sh promote DATA HOST      makes the standby of DATA the primary; HOST is where it listens
#
# PRIMARY is as libpq has it: "host=10.0.0.4 user=replication". Before a standby is promoted, the primary before has to be down, and
# stay so until it is a standby itself: two primaries would each acknowledge what the other has not.
set -eu
if [ -n "${PGBIN:-}" ]; then PATH=$PGBIN:$PATH; else PATH=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1):$PATH; fi

ask() {
    psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname "$1 dbname=postgres" --command "$2"
}

case ${1:-} in
standby)
    rm -rf "$3"
    pg_basebackup --dbname "$2" --pgdata "$3" --checkpoint fast --wal-method stream --write-recovery-conf
    # What the primary waits for is its own; a standby that is promoted has none yet.
    sed -i /synchronous_standby_names/d "$3/postgresql.auto.conf"
    ;;
synchronous)
    until [ "$(ask "$2" "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")" -gt 0 ]; do sleep 0.2; done
    ask "$2" "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'"
    ask "$2" "SELECT pg_reload_conf()" >/dev/null
    # From here on it holds.
    until [ "$(ask "$2" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum'")" -gt 0 ]; do sleep 0.2; done
    ;;
promote)
    pg_ctl promote --pgdata "$2" --wait --silent
    until [ "$(ask "host=$3" "SELECT pg_is_in_recovery()")" = f ]; do sleep 0.1; done
    ;;
*)
    sed -n '2,9p' "$0" >&2
    exit 64
    ;;
esac
