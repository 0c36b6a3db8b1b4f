#!/bin/bash
# timeout: 600
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/documents/documents.bash"

check_document "$ROOT/docs/guide-c-cpp-rust.md"
