#!/usr/bin/env bash
# Installs what the editors' tests need, into .tools, all editors side by side; `install.sh light` leaves out the
# workbench of VS Code. An editor that cannot be had here is named, and then the exit code is 1; a finished installation
# costs nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
running=()
start() { # start EDITOR COMMAND...
  "${@:2}" &
  running+=("$!:$1")
}
if [ "${1:-}" = light ]; then
  start "VS Code" bash "$here/vscode/run.sh" prepare node
else
  start "VS Code" bash "$here/vscode/run.sh" prepare
fi
for script in "$here"/*/install.sh; do
  name=$(basename "$(dirname "$script")")
  [ "$name" = vscode ] || start "$name" bash "$script"
done
missing=0
for entry in "${running[@]}"; do
  if ! wait "${entry%%:*}"; then
    echo "install: ${entry#*:} cannot be installed here" >&2
    missing=1
  fi
done
exit "$missing"
