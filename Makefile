# The front door: `make run` shows that it works, `make test` that it is right, `make help` what else there is.
# Each rule is one or two ordinary commands; cmake --preset release && cmake --build --preset release do as well.

PRESET ?= release
FUZZ_SECONDS ?= 600
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help

## run: build the program, then simulate models/slider_crank.yaml
.PHONY: run
run: program
	build/$(PRESET)/hooke run models/slider_crank.yaml --out results/slider_crank
	@echo "  ls models                           more models: build/$(PRESET)/hooke run models/NAME.yaml"
	@echo "  make test                           check this build"

## program: install missing packages, configure, compile the program and nothing else
.PHONY: program
program:
	@tools/setup program
	@cmake --preset $(PRESET) -D HOOKE_TESTS=OFF --log-level=NOTICE
	@cmake --build --preset $(PRESET) -j $(JOBS) -t hooke_program

## build: the program, tests and examples (PRESET=release|debug|sanitize)
.PHONY: build
build:
	@tools/setup
	@cmake --preset $(PRESET) -D HOOKE_TESTS=ON --log-level=NOTICE
	@cmake --build --preset $(PRESET) -j $(JOBS)

## core: the library hooke_core alone, which needs Eigen and no other package
.PHONY: core
core:
	@cmake --preset core --log-level=NOTICE
	@cmake --build --preset core -j $(JOBS)

## check: what needs no build: layout, layers, includes, links, equations
.PHONY: check
check:
	@tools/setup
	@tools/check_format
	@tools/check_layers
	@tools/check_includes
	@tools/check_links
	@tools/check_equations

## test: build and run all tests but the long ones
.PHONY: test
test:
	@$(MAKE) --no-print-directory build
	@ctest --preset $(PRESET)

## test-long: the tests that take minutes
.PHONY: test-long
test-long: build
	@ctest --preset long

## python: build the Python package, install it into build/python/venv and test it there
.PHONY: python
python:
	@tools/setup python
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) -j $(JOBS) -t hooke_python
	@/usr/bin/python3 -m venv --system-site-packages build/python/venv
	@HOOKE_BUILD=build/$(PRESET) build/python/venv/bin/pip install -q --no-build-isolation --no-index --no-deps --force-reinstall ./python
	@cd build/python && HOOKE_ROOT=$(CURDIR) MPLBACKEND=Agg venv/bin/python -B -m pytest -q -p no:cacheprovider $(CURDIR)/python/tests

## wheel: the Python package for any machine of this kind, in build/wheels; installed and run without the source tree
.PHONY: wheel
wheel:
	@tools/setup python
	@JOBS=$(JOBS) /usr/bin/python3 -m build --wheel --no-isolation -o build/wheels python
	@/usr/bin/python3 -B python/tests/try_wheel.py build/wheels

## package: a Debian package and a tarball in build/package/packages, installed and run in an empty root
.PHONY: package
package:
	@tools/setup
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package -j $(JOBS)
	@cd build/package && rm -rf packages && cpack
	@cd build/package && tar -cJf packages/symbols.tar.xz $$(find . -name '*.debug')
	@HOOKE_PACKAGES=build/package/packages python3 -B tests/install/try_package.py

## validate: compare with analytic solutions, independent codes and the papers' numbers
.PHONY: validate
validate: build
	@tools/validate

## papers: run the papers' examples again, pages in docs/papers
.PHONY: papers
papers: build
	@status=0; for run in papers/*/run; do $$run || status=1; done; papers/index || status=1; exit $$status

## bench: build and run the benchmarks, pages docs/benchmarks.md and docs/splitting.md
.PHONY: bench
bench:
	@tools/setup
	@bench/run
	@bench/split/run

## sanitize: run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
.PHONY: sanitize
sanitize:
	@$(MAKE) --no-print-directory test PRESET=sanitize

## viewer: build the page of `hooke view` from viewer/src; also installs what the tests of it need
.PHONY: viewer
viewer:
	@tools/setup viewer
	@cd viewer && npm ci --no-audit --no-fund --ignore-scripts && npm run --silent build

## fuzz: feed mutated input to every target of tests/fuzz, FUZZ_SECONDS each (600)
.PHONY: fuzz
fuzz:
	@$(MAKE) --no-print-directory build PRESET=fuzz
	@tools/fuzz $(FUZZ_SECONDS)

## format: clang-format all C++ files in place
.PHONY: format
format:
	@tools/setup
	@find src apps tests bench examples validation papers python -name '*.h' -o -name '*.cpp' | xargs -r clang-format -i

## clean: remove what was built (results/ stay)
.PHONY: clean
clean:
	rm -rf build

## help: this list
.PHONY: help
help:
	@sed -n 's/^## \([a-z-]*\): /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18
