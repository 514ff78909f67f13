#!/usr/bin/env bash
# The targets, seeds and dictionaries are built as for OSS-Fuzz.
set -euo pipefail
exec "$SRC/sassafras/fuzz/oss-fuzz/build.sh"
