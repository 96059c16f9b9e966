#!/usr/bin/env bash
# Repeats the erasures that the backup of a restored table lacks. Each line of the input is one: the time at which it ended, and the arguments of the command,
# in quotes if they have spaces. Runs all of them, and fails at the end if one has failed.
# Usage: repeat-erasures.sh <table> <time of the backup>
set -euo pipefail
failed=0
while read -r time arguments || [[ -n $time ]]; do
  if [[ -z $time ]]; then continue; fi
  if [[ ! $time =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$ ]]; then
    echo "This line does not begin with a time such as 2026-01-31T12:00:00Z: $time $arguments" >&2
    failed=1
  elif [[ ! $time < $2 ]]; then
    xargs -r npx pm-api erase --table "$1" <<<"$arguments" || { echo "This erasure has failed: $arguments" >&2; failed=1; }
  fi
done
exit "$failed"
