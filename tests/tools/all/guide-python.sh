#!/bin/bash
# The examples of docs/guide-python.md print what it says, with the programs of tests/documents.
# timeout: 600
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/documents/documents.bash"

[ "$(id -u)" -eq 0 ] || skip 'needs root'
check_document "$ROOT/docs/guide-python.md"
