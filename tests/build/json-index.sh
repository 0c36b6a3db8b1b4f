#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"

# docs/json.md: the index of shared keys lists each key that three tools have, with these tools.
"$ROOT/tests/json-keys"
