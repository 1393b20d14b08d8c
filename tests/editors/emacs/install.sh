#!/usr/bin/env bash
# Installs what the tests in Emacs need: Emacs without windows and eglot, from Debian, as root. Where Emacs 29 or newer
# is there already (it has eglot), nothing is done. What cannot be had is named; with CI set that is a failure.
set -euo pipefail
has() { command -v emacs emacsclient >/dev/null && emacs --batch --eval "(progn (package-initialize) (require 'eglot))" >/dev/null 2>&1; }
has && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "install: Emacs with eglot is not here, and only root on Debian can install it: apt-get install emacs-nox elpa-eglot" >&2
  [ -z "${CI:-}" ] && exit 0
  exit 1
fi
apt-get update -q >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends emacs-nox elpa-eglot >/dev/null
has || { echo "install: Emacs was installed, and yet cannot load eglot" >&2; exit 1; }
echo "installed $(emacs --version | head -1)"
