# Every target works by itself in a fresh clone with Python 3.11 or newer: it makes .venv, installs
# what it needs and runs. Stamp files in .venv keep repeated calls quick.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test check bench docs pictures clean

help:
	@echo "make demo    reconstruct the built-in clip and write demo/"
	@echo "make test    all tests, WORKERS=$(WORKERS) at a time"
	@echo "make check   format, lint, types and import contracts"
	@echo "make bench   how fast the solvers are on this machine"
	@echo "make docs    the documentation, in docs/_build/html, with tables from the code"
	@echo "make pictures  draw the pictures of the documentation anew"
	@echo "make clean   remove .venv and everything that was built"

demo: $(VENV)/.installed-demo
	$(BIN)/sixpoint demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.installed-test
	$(BIN)/ruff format --check src tests docs
	$(BIN)/ruff check src tests docs
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-demo
	$(BIN)/sixpoint bench speed

docs: $(VENV)/.installed-docs
	$(BIN)/python docs/tables.py
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

pictures: $(VENV)/.installed-docs
	$(BIN)/python docs/pictures.py

clean:
	rm -rf $(VENV) demo table1 build dist docs/_build .mypy_cache .ruff_cache .pytest_cache \
		.import_linter_cache .hypothesis .coverage

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "sixpoint needs Python 3.11 or newer, and none was found. \
	Install one, or say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-demo: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PIP) --editable '.[plot,studio]'
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PIP) --editable '.[plot,studio,vision,c3d,test,lint]'
	@touch $@

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PIP) --editable '.[plot,studio,vision,docs]'
	@touch $@
