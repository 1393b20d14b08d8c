#!/usr/bin/env bash
# The checks of `make check`, each named, all run even if one fails; fails if any did.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=()
step() { # step NAME COMMAND...: silent when it passes
  local name=$1 out
  shift
  if out=$("$@" 2>&1); then
    printf '  ok    %s\n' "$name"
  else
    printf '%s\n  FAIL  %s\n' "$out" "$name"
    failed+=("$name")
  fi
}
shell_scripts() {
  git ls-files -z -- '*.sh' .ci/run | xargs -0 -r -n 1 bash -n
}
lua() { python -m pytest --tb=short --no-header tests/editors/nvim/test_lua.py -k "luacheck or formatted or help or fits"; }
needs() { # needs NAME COMMAND...: install what the next step needs; where that cannot be, the step is left out, loudly
  local name=$1
  shift
  "$@" && return
  if [ -n "${CI:-}" ]; then failed+=("$name"); fi
  printf '  SKIP  %s: it cannot be installed here\n' "$name"
  return 1
}
step "format (make format mends it)" ruff format --check .
step "lint" ruff check .
step "types" pyright
step "floors" lint-imports --no-logo --cache-dir .tools/import-linter
step "mirrors" python scripts/mirror.py --check
step "conventions" python -m pytest --tb=short --no-header tests/test_tidy.py tests/wire
step "shell scripts" shell_scripts
if needs "Lua" bash tests/editors/nvim/install.sh; then step "Lua" lua; fi
if needs "TypeScript" bash tests/editors/vscode/run.sh prepare node; then
  step "TypeScript" bash tests/editors/vscode/run.sh check
fi
if [ "${#failed[@]}" -gt 0 ]; then
  echo "check: ${#failed[@]} failed: ${failed[*]}" >&2
  exit 1
fi
echo "check: all good"
