#!/usr/bin/env bash
# Watches the alarms of a stage after its deployment. Fails when one is raised that was not raised before, and when AWS does not respond: a watch that
# sees nothing approves nothing.
# Usage: watch-alarms.sh <stage> <file with the alarms that were raised before> <times> <seconds between them>
set -euo pipefail
now=$(mktemp)
for _ in $(seq "$3"); do
  sleep "$4"
  "$(dirname "$0")/raised-alarms.sh" "$1" >"$now"
  raised=$(comm -13 "$2" "$now")
  if [ -n "$raised" ]; then echo "In alarm: $raised"; exit 1; fi
done
