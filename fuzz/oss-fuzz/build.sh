#!/usr/bin/env bash
# Builds the fuzz targets into $OUT, each with its seeds and dictionary. OSS-Fuzz and ClusterFuzzLite run it in their image; with OUT set it runs anywhere
# that has a nightly toolchain. TARGETS names some of them; all but those that need NVIDIA's tools by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${OUT:?OUT names the folder for what is built}"
mkdir -p "$OUT"
triple=x86_64-unknown-linux-gnu
all=$(for file in fuzz/fuzz_targets/*.rs; do basename "$file" .rs; done | grep -v -e ptxas -e nvdisasm)
targets=${TARGETS:-$all}

if cargo +nightly fuzz --version >/dev/null 2>&1; then
    for target in $targets; do
        cargo +nightly fuzz build -O --sanitizer "${SANITIZER:-address}" "$target"
    done
else
    # What cargo-fuzz passes, without cargo-fuzz.
    export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 ${SANITIZER_FLAG--Zsanitizer=address}"
    bins=()
    for target in $targets; do
        bins+=(--bin "$target")
    done
    cargo +nightly build --manifest-path fuzz/Cargo.toml --target-dir fuzz/target --release --target "$triple" "${bins[@]}"
fi

for target in $targets; do
    cp "fuzz/target/$triple/release/$target" "$OUT/$target"
    # Targets that read bytes as choices share their seeds.
    seeds=fuzz/seeds/$target
    [ -d "$seeds" ] || seeds=fuzz/seeds/choices
    python3 - "$seeds" "$OUT/${target}_seed_corpus.zip" <<'PYTHON'
import pathlib, sys, zipfile
folder, archive = sys.argv[1:]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
    for path in sorted(pathlib.Path(folder).iterdir()):
        out.write(path, path.name)
PYTHON
    if [ -e "fuzz/dictionaries/$target.dict" ]; then
        cp "fuzz/dictionaries/$target.dict" "$OUT/$target.dict"
    fi
    # Choices are worth nothing below some length.
    [ -d "fuzz/seeds/$target" ] || printf '[libfuzzer]\nmax_len = 4096\nlen_control = 0\n' >"$OUT/$target.options"
done
