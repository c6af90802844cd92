# The common jobs; `just` lists them.

default:
    @just --list

# Everything CI runs.
ci:
    bash .ci/run

test:
    cargo test --locked

# The rule pages and the list are written from the rules' own text.
docs:
    VERITY_UPDATE_DOCS=1 cargo test --locked --test it rules::

lint:
    cargo fmt --check
    cargo clippy --locked --all-targets -- -D warnings

bench:
    cargo bench --locked

deny:
    cargo deny check
