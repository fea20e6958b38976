# Everything a person or a machine needs: make demo, make test. Both do their own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_WORKERS ?= 2
export UV_SYSTEM_CERTS := 1
# Hundreds of tests start a process: bytecode is written once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint docs pictures bench install dev clean system
.DEFAULT_GOAL := help

help:  ## say what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

demo: install  ## rate a bundled tournament, from file to report
	@$(BIN)/arpad demo

test: dev system lint  ## run every test
	@echo "== tests"
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadscope -q

lint: dev  ## check style and types
	@echo "== style and types"
	@$(BIN)/ruff format --check -q .
	@$(BIN)/ruff check -q .
	@$(BIN)/mypy --no-error-summary

docs: dev  ## build the documentation site and the man page: build/site/index.html, build/arpad.1
	@$(BIN)/python tools/command_reference.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html, build/arpad.1"

pictures: dev  ## photograph the web app for the documentation
	@$(BIN)/python tools/screenshots.py

bench: dev  ## measure speed against peers, in one run
	@echo "== peers"
	@tools/install.sh $(VENV) -r benchmarks/requirements.txt
	@$(BIN)/python -m benchmarks

install: $(VENV)/.installed  ## put the command at .venv/bin/arpad

dev: $(VENV)/.installed-dev

$(VENV)/bin/python:
	@echo "== Python environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "arpad needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "== arpad and what it needs"
	@tools/install.sh $(VENV) -e '.[web,pdf]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "== arpad, what it needs, and what its tests need"
	@tools/install.sh $(VENV) -e '.[dev]'
	@touch $@ $(VENV)/.installed

system:
	@tools/system-packages.sh

clean:  ## remove everything that was made here
	rm -rf $(VENV) arpad-demo build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
