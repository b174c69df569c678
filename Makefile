# Every target makes what it needs: on a fresh machine `make demo` or `make test` is the first command.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint bench bench-peers lock clean

demo: $(READY)
	@mkdir -p demo
	@echo '── In Italian: three films in which cryptography is central'
	@SENNO_PATHS_LEDGER=demo/ledger.db $(BIN)/senno run movies "Voglio 3 film dove la crittografia è centrale alla trama, non come MacGuffin ma come meccanismo che il protagonista capisce davvero" --html demo/crittografia.html </dev/null || test $$? -eq 3
	@echo
	@echo '── In English: films about technology and startups, 1990 to 2000'
	@SENNO_PATHS_LEDGER=demo/ledger.db $(BIN)/senno run movies "3 films from 1990 to 2000 about technology and startups" --html demo/startups.html </dev/null || test $$? -eq 3
	@echo
	@echo '── What agents learnt: twelve lessons, and the ones for a new task (in English, then in Italian)'
	@SENNO_LESSONS_ROOT=demo/memory $(BIN)/senno import jsonl examples/lessons.jsonl
	@SENNO_LESSONS_ROOT=demo/memory $(BIN)/senno reindex
	@SENNO_LESSONS_ROOT=demo/memory $(BIN)/senno recall --why --dry-run "Add up the travel receipts of November; some are in Swiss francs"
	@SENNO_LESSONS_ROOT=demo/memory $(BIN)/senno recall --dry-run "Un cliente si lamenta: il rimborso non è ancora arrivato. Scrivi la risposta."
	@echo
	@echo '── A diff before it is merged: detectors alone, no model'
	@SENNO_PATHS_LEDGER=demo/ledger.db $(BIN)/senno gate --detectors-only --diff examples/gate.diff || test $$? -eq 1
	@echo
	@echo "Pages: $(CURDIR)/demo/crittografia.html $(CURDIR)/demo/startups.html"
	@echo 'With a model: $(BIN)/senno run movies "…" --model ollama:llama3.2   (or openai:…, anthropic:…, http://HOST/v1, gguf:FILE)'

test: $(READY)
	$(BIN)/pytest

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/pyright

bench: $(READY)
	@for bench in bench/*_bench.py; do echo "── $$bench"; $(BIN)/python $$bench || exit 1; done

# The peers that bench/ compares with, in an environment of their own (1.4 GB); without it their rows are left out.
bench-peers: $(READY)
	test -x .venv-bench/bin/python || $(BIN)/python -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --require-hashes -r requirements.lock
	.venv-bench/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	.venv-bench/bin/python -m pip install --quiet -r bench/requirements.txt

# The virtual environment, from the lock file alone: every package pinned and checked by its hash.
$(READY): requirements.lock pyproject.toml
	@set -e; python=$$(command -v $(PYTHON) || command -v python3); \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "senno needs Python 3.11 or newer; found $$("$$python" --version)"; exit 1; }; \
	test -x $(BIN)/python || "$$python" -m venv $(VENV) || { \
	  echo 'Python has no venv module: installing it'; rm -rf $(VENV); \
	  { apt-get update -qq && apt-get install -y -qq python3-venv; } && "$$python" -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# After a change of dependencies in pyproject.toml.
lock:
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra openai --extra anthropic --extra gguf --extra language --extra mcp --extra rerank --extra light-embedding --extra gate --extra plots --extra gepa --group dev --group build \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet --output-file requirements.lock

clean:
	rm -rf $(VENV) demo .pytest_cache .ruff_cache .hypothesis
