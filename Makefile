# loopwatch: `make` prints what there is to make.

.DEFAULT_GOAL := help
.PHONY: help test short race vet lint generate bench soak fuzz gobench demo equality clean

LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

help: ## print this help
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## watch a simulated fleet
	go run ./cmd/loopwatch demo

test: ## what the README calls: all tests
	go test ./...

race: ## all tests under the race detector
	go test -race ./...

vet: ## go vet and go mod verify
	go vet ./...
	go mod verify

lint: ## golangci-lint, built from the module proxy
	go run $(LINT) run

generate: ## write the generated documents anew
	go generate ./...
	go test ./... -run 'Generated|Schema|Docs' -update

equality: ## hold live decisions against replay on all recorded runs
	scripts/equality

fuzz: ## every fuzz target for a minute
	scripts/fuzz 60s

soak: ## the long tests
	LOOPWATCH_SOAK=1 go test -timeout 60m ./...

bench: ## the processor against the bus it reads, in ratios
	go run ./cmd/loopwatch bench

gobench: ## Go benchmarks, ready for benchstat
	go test -run '^$$' -bench . -benchmem ./...

clean: ## remove what the commands leave behind
	rm -rf bin loopwatch-data
