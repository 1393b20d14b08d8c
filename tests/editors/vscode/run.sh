#!/usr/bin/env bash
# The tests of the VS Code extension: `run.sh` runs all of them, `run.sh check|unit|exthost|journeys|packaged|pictures`
# one part, `run.sh journey NAME` one journey. What they need is installed first, and `run.sh prepare` does only that;
# calls may run side by side.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
extension=$root/vscode-client
export PATH="$root/.tools/vscode/bin:$PATH" npm_config_update_notifier=false npm_config_loglevel=error
[ -x "$root/.venv/bin/python" ] || { echo "run.sh: run \`make setup\` first" >&2; exit 1; }
mkdir -p "$root/.tools/vscode"

alone() { # alone NAME COMMAND...: not at the same time as another call of this name
  (
    if command -v flock >/dev/null; then flock 9; fi
    "${@:2}" 9>&-
  ) 9>"$root/.tools/vscode/$1.lock"
}

once() { # once STAMP VALUE COMMAND...: unless it was done for this very value
  [ "$(cat "$1" 2>/dev/null)" = "$2" ] && return
  rm -f "$1"
  "${@:3}"
  mkdir -p "$(dirname "$1")"
  echo "$2" >"$1"
}

hash_of() { # hash_of PATH...: one hash of all files below
  find "$@" -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum
}

modules() { (cd "$extension" && npm ci --ignore-scripts --no-audit --no-fund); }
build() { (cd "$extension" && node esbuild.mjs --minify --tests && npm run -s package >/dev/null); }

prepare() { # prepare [node]: everything, or what the checks and the unit tests need
  bash "$here/install.sh" "$@"
  cd "$extension"
  once node_modules/.stamp "$(hash_of package-lock.json)" modules
  [ "${1:-}" = node ] && return
  once dist/.stamp "$(hash_of src test media package.json esbuild.mjs "$root/server" "$root/pyproject.toml")" build
}

part() {
  cd "$extension"
  case $1 in
    check) npm run -s check ;;
    unit) alone prepare once dist/.tests "$(hash_of src test esbuild.mjs package.json)" node esbuild.mjs --minify --tests && npx mocha ;;
    exthost) alone workbench node "$here/journeys.mjs" exthost ;;
    journeys) alone workbench node "$here/journeys.mjs" ;;
    packaged) node "$here/journeys.mjs" packaged ;;
    pictures) alone workbench node "$here/pictures.mjs" ;;
    *) echo "run.sh: there is no part “$1”" >&2; exit 2 ;;
  esac
}

case "$*" in
  check | unit | "prepare node") alone prepare prepare node ;;
  *) alone prepare prepare ;;
esac
[ "${1:-}" = prepare ] && exit
if [ "${1:-}" = journey ]; then
  alone workbench node "$here/journeys.mjs" "${@:2}"
  exit
fi
[ $# -gt 0 ] || set -- unit journeys packaged
failed=0
for name in "$@"; do part "$name" || failed=1; done
exit $failed
