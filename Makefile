# motiform: `make demo` and `make test` do everything, set-up included.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS ?= dev,peers,usd,dask
STAMP  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check bench docs lock clean

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(STAMP) ## make the environment with the locked dependencies

$(STAMP): pyproject.toml requirements.lock
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install -q --python $(BIN)/python -c requirements.lock -e '.[$(EXTRAS)]'; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e '.[$(EXTRAS)]'; \
	fi
	@touch $@

demo: setup ## run the built-in scenes and show the studio (without a display: write the results and end)
	$(BIN)/motiform demo --out demo

test: setup check ## check and test everything that takes minutes
	$(BIN)/python -m pytest -q -m "not slow and not gpu"

test-slow: setup ## the tests that take longer
	$(BIN)/python -m pytest -q -m "slow and not gpu"

check: setup ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## measure against peers
	$(BIN)/motiform bench

docs: setup ## build the documentation, gallery included
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

lock: ## resolve the dependencies anew (needs uv)
	uv pip compile -q --universal --all-extras --python-version 3.11 --no-header --no-annotate --upgrade pyproject.toml -o requirements.lock

clean: ## remove what can be made again
	rm -rf $(VENV) build dist demo docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache
