# Every target does its own set-up: the virtual environment .venv with torch,
# and the extension. What is set up already is not set up again.

ROOT := $(shell cd "$$(dirname "$(strip $(MAKEFILE_LIST))")" && pwd -P)
.DEFAULT_GOAL := help

ifneq ($(CURDIR),$(ROOT))
# Started from elsewhere with -f.
help demo test check kernels test-go test-python build wheel precision bench bench-kernels fuzz clean:
	@$(MAKE) --no-print-directory -C "$(ROOT)" $@
else

PYTHON_VENV := .venv/bin/python
PIP := $(PYTHON_VENV) -m pip --disable-pip-version-check --quiet
STAMPS := .venv/stamps
export GOTOOLCHAIN := local
export GOWORK := off
export CGO_ENABLED := 1

# A Python that is gone takes its set-up with it, and a moved checkout its editable installation.
$(shell $(PYTHON_VENV) -c "" 2>/dev/null || rm -rf $(STAMPS))
$(shell [ "$$(cat $(STAMPS)/editable 2>/dev/null)" = "$(ROOT)" ] || rm -f $(STAMPS)/editable)

version := 'import sys; print(sys.version_info)'
ifneq ($(and $(PYTHON),$(wildcard $(STAMPS)/venv)),)
ifneq ($(shell "$(PYTHON)" -c $(version)),$(shell $(PYTHON_VENV) -c $(version)))
$(error .venv has another CPython than PYTHON=$(PYTHON): remove .venv first)
endif
endif

# pip writes INSTALLER after a package's files. A package without it is the rest
# of an interrupted installation, which pip would take for a whole one.
drop_rests = for rest in .venv/lib/python*/site-packages/*.dist-info; do [ -e "$$rest/INSTALLER" ] || rm -rf "$$rest"; done
install = @$(drop_rests); $(PIP) install -r $(1)

.NOTPARALLEL:
.PHONY: help demo test check kernels test-go test-python build wheel precision bench bench-kernels fuzz clean

help:
	@echo "make demo         classify real handwritten digits while they are encrypted"
	@echo "make test         run every check and every test"
	@echo "make check        gofmt, go vet, staticcheck, arm64 and the generated assembly alone"
	@echo "make kernels      write the assembly of core/kernel with its generator"
	@echo "make test-go      the Go tests alone: with each level of kernels, with -tags purego, with -race"
	@echo "make fuzz         every fuzz target in turn, FUZZTIME=10s each"
	@echo "make test-python  pytest alone: all of it, then with the other levels of kernels"
	@echo "make build        build the extension in place, for work on the code"
	@echo "make wheel        build a wheel into dist/"
	@echo "make precision    measure every preset's precision into docs/precision.md"
	@echo "make bench        compare with other libraries (BENCH=--quick for two minutes)"
	@echo "make bench-kernels  measure every kernel beside what the processor allows"
	@echo "make clean        remove what was built, except .venv"

demo: $(STAMPS)/demo build
	@$(PYTHON_VENV) -m fhelium.demo

test: check test-go test-python

check:
	@echo "== gofmt, go vet, staticcheck"
	@buildtools/prerequisites.sh >/dev/null
	@badly=$$(find . -name '*.go' -not -path './.*' -not -path './_build/*' -not -path './build/*' -exec gofmt -l {} +); \
		[ -z "$$badly" ] || { echo "run gofmt -w on:"; echo "$$badly"; exit 1; }
	@go vet ./...
	@go vet -tags purego ./...
	@go tool -modfile=go.check.mod staticcheck ./...
	@echo "== arm64"
	@GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build ./...
	@GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go vet ./...
	@echo "== generated assembly"
	@mkdir -p _build/kernel
	@go run -C core/kernel/gen . -out "$(ROOT)/_build/kernel/kernels_amd64.s" -stubs "$(ROOT)/_build/kernel/stubs_amd64.go" -pkg kernel
	@sed -i 1d _build/kernel/kernels_amd64.s _build/kernel/stubs_amd64.go  # the command line
	@for file in kernels_amd64.s stubs_amd64.go; do \
		sed 1d core/kernel/$$file | cmp -s - _build/kernel/$$file || { echo "core/kernel/$$file is not what its generator writes: run make kernels"; exit 1; }; \
	done

kernels:
	@go generate ./core/kernel

# The kernels that this processor has, from the slowest.
levels := go run ./bench/kernels --levels

# core/kernel, core/ring and core/keyswitch test every level in each run, and
# core/sample both ways to draw; go test does not repeat what no variable changes.
test-go:
	@buildtools/prerequisites.sh >/dev/null
	@levels=$$($(levels)) || exit 1; for level in $$levels; do \
		echo "== go test with $$level kernels"; \
		FHELIUM_KERNELS=$$level go test ./... || exit 1; \
	done
	@echo "== go test -tags purego"
	@go test -tags purego ./...
	@echo "== go test -race"
	@go test -race ./...

FUZZTIME ?= 10s

fuzz:
	@buildtools/prerequisites.sh >/dev/null
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' | sort -u); do \
			echo "== $$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

# Tests of wheels and installers take minutes and compute next to nothing: once is enough.
no_installers := --ignore=tests/test_packaging.py --ignore=tests/test_installation.py

test-python: $(STAMPS)/test build
	@echo "== pytest"
	@$(PYTHON_VENV) -m pytest
	@levels=$$($(levels)) || exit 1; for level in $$(echo "$$levels" | sed '$$d'); do \
		echo "== pytest with $$level kernels"; \
		FHELIUM_KERNELS=$$level $(PYTHON_VENV) -m pytest $(no_installers) || exit 1; \
	done

# The extension looks itself up by the content of what it is made of.
build: $(STAMPS)/editable
	@$(PYTHON_VENV) buildtools/extension.py

wheel: $(STAMPS)/editable
	@$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .
	@ls dist/*.whl

precision: $(STAMPS)/demo build
	@$(PYTHON_VENV) docs/precision.py

bench: $(STAMPS)/demo build
	@$(PYTHON_VENV) -m bench.run $(BENCH)

bench-kernels:
	@buildtools/prerequisites.sh >/dev/null
	@go run ./bench/kernels $(BENCH)

clean:
	rm -rf _build build dist out python/*.egg-info python/fhelium/_fhgo.* .pytest_cache .hypothesis

$(STAMPS)/venv:
	@$(drop_rests)
	@python=$$(buildtools/prerequisites.sh) && echo "== set-up: .venv with $$python" && "$$python" -m venv .venv
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: requirements/build.txt | $(STAMPS)/venv
	$(call install,requirements/build.txt)
	@touch $@

$(STAMPS)/editable: pyproject.toml setup.py $(STAMPS)/build
	@echo "== set-up: building the extension"
	@buildtools/prerequisites.sh >/dev/null
	@$(PYTHON_VENV) buildtools/extension.py
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@echo "$(ROOT)" >$@

$(STAMPS)/demo: requirements/build.txt requirements/run.txt requirements/demo.txt | $(STAMPS)/venv
	@echo "== set-up: installing torch and what the demo needs (once, some minutes)"
	$(call install,requirements/demo.txt)
	@touch $@

$(STAMPS)/test: requirements/test.txt $(STAMPS)/demo
	@echo "== set-up: installing what the tests need"
	$(call install,requirements/test.txt)
	@touch $@

endif
