# Everything that people do with this repository. What a target needs is installed into .venv and .tools first, from
# the ordinary registries, by scripts/install.py; nothing outside of this folder is touched (as root on a Debian
# without python3-venv, that package is installed, and Emacs for the tests in it).

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
ARGS ?=
RUN := PYRIGHT_PYTHON_IGNORE_WARNINGS=1 PATH="$(CURDIR)/.venv/bin:$(CURDIR)/.tools/bin:$$PATH"
# The tests start the language server hundreds of times: what Python has compiled is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(or $(PYTHON),python3) scripts/install.py

.DEFAULT_GOAL := help
.PHONY: help setup demo test editors check faults conformance bench mirror format lock clean python

help: ## what there is
	@echo "codeagent-lsp: make ..."
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## /  \1|/p' Makefile | while IFS='|' read -r name what; do \
		printf '  %-14s %s\n' "$$name" "$$what"; done
	@echo "  make test ARGS='tests/unit -k naming' passes arguments on to pytest; demo and bench take ARGS too."

python:
	@$(if $(PYTHON),true,echo "codeagent-lsp needs Python 3.11 or newer, and there is none on PATH (set PYTHON=...)." >&2; exit 1)

setup: python ## install the server and the developers' tools into .venv
	@$(INSTALL) venv

demo: python ## see the server at work: it starts MCP servers, asks, lists, calls and reads
	@$(INSTALL) venv
	@$(INSTALL) npm-servers || echo "demo: servers from npm cannot be installed here, so the demo goes without them."
	@$(RUN) .venv/bin/python scripts/demo.py $(ARGS)

test: python ## run the tests, with real MCP servers from npm and PyPI, and in real editors but for VS Code's workbench
	@$(INSTALL) venv
	@$(INSTALL) servers conformance || $(if $(CI),exit 1,echo "test: tests with real MCP servers and the conformance suite are skipped.")
	@$(RUN) bash tests/editors/install.sh light || $(if $(CI),exit 1,echo "test: the tests in an editor that is not there are skipped.")
	@$(RUN) .venv/bin/python -m pytest -n 4 --dist worksteal --reruns 2 $(ARGS)

check: python ## formatting, lint and types of Python, Lua and TypeScript; floors, mirrors and conventions
	@$(INSTALL) node
	@$(RUN) bash scripts/check.sh

editors: setup ## run all tests in real editors, minutes in the workbench of VS Code among them (installs them into .tools)
	@$(INSTALL) node
	@$(RUN) bash tests/editors/install.sh
	@$(RUN) .venv/bin/python -m pytest -n 3 --dist worksteal --reruns 1 -m "workbench or not workbench" tests/editors $(ARGS)

faults: setup ## run the fault matrix and a soak of two minutes, and write docs/faults.md (on a quiet machine: a quarter of an hour)
	@$(RUN) FAULTS_WRITE=1 .venv/bin/python -m pytest tests/faults -m faults $(ARGS)

conformance: python ## run the protocol's own conformance suite against our client
	@$(INSTALL) venv conformance
	@$(RUN) .venv/bin/python -m pytest tests/conformance $(ARGS)

bench: python ## measure against mcp-hub, pygls and the MCP client, side by side; then mentions and the editors
	@$(INSTALL) venv npm-servers mcp-hub
	@$(RUN) bash tests/editors/install.sh || $(if $(CI),exit 1,echo "bench: an editor that is not there is not measured.")
	@short=0; for what in run language editors; do \
		$(RUN) PYTHONPATH=scripts .venv/bin/python bench/$$what.py $(ARGS) || short=1; done; exit $$short

mirror: setup ## write what is generated: protocol.ts, protocol.lua, docs/protocol.md, settings, the help of Neovim
	@$(RUN) .venv/bin/python scripts/mirror.py
	@$(INSTALL) node && $(RUN) bash tests/editors/nvim/install.sh
	@cd nvim && ../.tools/nvim/nvim-0.11 --clean -l scripts/help.lua

format: setup ## format the Python files, and mend what the linter can mend
	@$(RUN) ruff check --fix --quiet . ; $(RUN) ruff format .

lock: setup ## write requirements.lock anew after a change in pyproject.toml (UPGRADE=1: newest versions)
	@$(RUN) bash scripts/lock.sh

clean: ## remove everything that was installed or built here
	rm -rf .venv .tools .ruff_cache .hypothesis .import_linter_cache dist build out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
