#!/usr/bin/env bash
# Writes requirements.lock anew: exact versions and hashes of everything that pyproject.toml asks for, for every
# platform and Python that is supported. The npm locks are written by `npm install --package-lock-only` beside them.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .tools/uv/bin/uv ] || .venv/bin/python -m pip install -q --no-deps --target .tools/uv 'uv>=0.11,<0.14'
lock() { # lock FROM TO OPTIONS...
  local from=$1 to=$2
  shift 2
  .tools/uv/bin/uv pip compile "$from" "$@" --universal --python-version 3.11 --generate-hashes \
    ${UPGRADE:+--upgrade} --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet --output-file "$to"
  echo "wrote $to"
}
lock pyproject.toml requirements.lock --group build --group dev
lock tests/servers/pypi/requirements.in tests/servers/pypi/requirements.lock
