#!/usr/bin/env bash
# The tests of the VS Code extension: `run.sh` runs all of them, `run.sh check|unit|exthost|journeys|packaged|pictures`
# one part. What they need is installed into .tools and vscode-client/node_modules first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
extension=$root/vscode-client
export PATH="$root/.tools/vscode/bin:$PATH" npm_config_update_notifier=false npm_config_loglevel=error
[ -x "$root/.venv/bin/python" ] || { echo "run.sh: run \`make setup\` first" >&2; exit 1; }

install_modules() {
  local stamp=$extension/node_modules/.stamp wanted
  wanted=$(sha256sum "$extension/package-lock.json")
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
  (cd "$extension" && npm ci --ignore-scripts --no-audit --no-fund)
  echo "$wanted" >"$stamp"
}

part() {
  cd "$extension"
  case $1 in
    check) npm run -s check ;;
    unit) npm run -s test ;;
    exthost) node esbuild.mjs --tests && node "$here/exthost.mjs" ;;
    journeys) node esbuild.mjs && node "$here/journeys.mjs" firstSteps tools firstConfiguration questions windows folders badServers badHost ;;
    packaged) npm run -s package >/dev/null && node "$here/journeys.mjs" packaged ;;
    pictures) node esbuild.mjs --minify && node "$here/pictures.mjs" ;;
    *) echo "run.sh: there is no part “$1”" >&2; exit 2 ;;
  esac
}

bash "$here/install.sh"
install_modules
[ $# -gt 0 ] || set -- unit exthost journeys packaged
failed=0
for name in "$@"; do part "$name" || failed=1; done
exit $failed
