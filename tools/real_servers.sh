#!/usr/bin/env bash
# Real MCP servers for the tests (tests/it/real.rs), in target/mcp-servers or the folder that is named. Their versions and
# those of everything under them stand in tests/peers/, so that no release of somebody else changes what is tested.
# What cannot be installed is said and left out: its tests are skipped. Nothing is installed twice.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-target/mcp-servers}
peers=tests/peers
mkdir -p "$folder"

# install NAME SECONDS FILE… -- COMMAND…: run the command, within its time, unless what these files name is there.
install() {
  local name=$1 seconds=$2 files=() named
  shift 2
  while [ "$1" != -- ]; do files+=("$1"); shift; done
  shift
  named=$(cat "${files[@]}" | cksum)
  if [ "$(cat "$folder/$name.installed" 2>/dev/null)" = "$named" ]; then return; fi
  if timeout "$seconds" "$@"; then
    echo "$named" > "$folder/$name.installed"
  else
    echo "skipped: the servers of ${files[*]} cannot be installed"
  fi
}

# No script of a package is run.
npm_servers() {
  mkdir -p "$folder/npm" && cp "$peers"/npm/package*.json "$folder/npm/" &&
    npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$folder/npm"
}
pypi_servers() {
  { [ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"; } &&
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$peers/requirements.txt"
}
rmcp_server() {
  CARGO_TARGET_DIR="$folder/rmcp" cargo build --quiet --locked --manifest-path "$peers/rmcp/Cargo.toml"
}
export -f npm_servers pypi_servers rmcp_server
export folder peers
install npm 120 "$peers"/npm/package*.json -- bash -c npm_servers
install pypi 120 "$peers/requirements.txt" -- bash -c pypi_servers
install rmcp 600 "$peers"/rmcp/{Cargo.toml,Cargo.lock,src/main.rs} -- bash -c rmcp_server
exit 0
