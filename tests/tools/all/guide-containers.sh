#!/bin/bash
# timeout: 600
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/documents/documents.bash"

[ "$(id -u)" -eq 0 ] || skip 'needs root'
check_document "$ROOT/docs/guide-containers.md"
