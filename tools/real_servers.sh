#!/usr/bin/env bash
# Real MCP servers for the tests (tests/it/real.rs), at pinned versions, in target/mcp-servers or the folder that is named.
# What cannot be installed is said and left out: its tests are skipped. Nothing is installed twice.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-target/mcp-servers}
npm=(@modelcontextprotocol/server-{everything,filesystem,memory}@2026.8.31)
pypi=(mcp-server-time==2026.10.19 mcp-server-git==2026.10.19)
mkdir -p "$folder"

# install NAME PACKAGES… -- COMMAND…: run the command, within its time, unless these packages are there.
install() {
  local name=$1 packages=()
  shift
  while [ "$1" != -- ]; do packages+=("$1"); shift; done
  shift
  if [ "$(cat "$folder/$name.installed" 2>/dev/null)" = "${packages[*]}" ]; then return; fi
  if timeout 120 "$@" "${packages[@]}"; then
    echo "${packages[*]}" > "$folder/$name.installed"
  else
    echo "skipped: ${packages[*]} cannot be installed"
  fi
}

# No script of a package is run.
install npm "${npm[@]}" -- npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder/npm"
[ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv" || echo "skipped: python3 has no venv"
install pypi "${pypi[@]}" -- "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all:
exit 0
