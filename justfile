# The entry points of the validation matrix, by the built binary. `just --list` shows them.

set positional-arguments

rollcheck := quote(justfile_directory() / "target/release/rollcheck")

[private]
default:
    @just --list --justfile {{ justfile() }}

# Build the binary that the recipes use
build:
    @cargo build --release --locked --quiet --manifest-path {{ quote(justfile_directory() / "Cargo.toml") }}

# Re-derive a round's verdicts offline: just validation-matrix-verdicts <round-dir>
[no-cd]
validation-matrix-verdicts round *args: build
    @{{ rollcheck }} matrix verdicts "$@"

# What changed since another round: just validation-matrix-diff <round-dir> <baseline-dir>
[no-cd]
validation-matrix-diff round baseline *args: build
    @shift 2; {{ rollcheck }} matrix diff {{ quote(round) }} --baseline {{ quote(baseline) }} "$@"

# Make a round of the older layout queryable: just validation-matrix-import <round-dir> --round-id <id> --executed-sha <sha>
[no-cd]
validation-matrix-import round *args: build
    @{{ rollcheck }} matrix import "$@"

# Judge every round below a folder again: just validation-matrix-readjudicate <dir> <out-dir>
[no-cd]
validation-matrix-readjudicate rounds out *args: build
    @shift 2; {{ rollcheck }} matrix readjudicate {{ quote(rounds) }} --out {{ quote(out) }} "$@"

# Everything that would refuse a round on this host; nothing is launched: just validation-matrix-preflight --expect-sha <sha>
[no-cd]
validation-matrix-preflight *args: build
    @{{ rollcheck }} matrix preflight "$@"
