PREFIX ?= /usr/local
SWIFT_BUILD = swift build -c release --product pipectl

.PHONY: help demo test bench check-deep docs pictures build format install deb

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Recognize the gestures of a recorded session
	@scripts/bootstrap
	@scripts/demo.sh

test: ## Check the format, build without warnings, run every test
	@scripts/test.sh

bench: ## Compare the speed with programs in C++ and Python
	@scripts/bootstrap
	@scripts/bench.sh

check-deep: ## Run the checks that take too long for every change
	@scripts/bootstrap
	@scripts/check-deep.sh

docs: ## Make the documentation of the libraries, in .build/docs/site
	@scripts/bootstrap
	@scripts/make-docs.sh

pictures: ## Redraw the pictures of the documentation
	@scripts/bootstrap
	@scripts/make-pictures.sh

build: ## Build pipectl for release
	@scripts/bootstrap
	$(SWIFT_BUILD)

format: ## Format all Swift files in place
	@scripts/format.sh

install: ## Install pipectl, its manual page and completion below PREFIX (/usr/local)
	@scripts/bootstrap
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" UNITDIR="$(UNITDIR)" scripts/install.sh

deb: ## Make a Debian package
	@scripts/bootstrap
	@scripts/make-deb.sh
