#!/usr/bin/env bash
# Repeats the erasures that the backup of a restored table lacks. Each line of the input is one: its time, and the arguments of the command.
# Usage: repeat-erasures.sh <table> <time of the backup>
set -euo pipefail
while read -r time arguments; do
  if [[ -z $time || $time < $2 ]]; then continue; fi
  read -ra each <<<"$arguments"
  npx pm-api erase --table "$1" "${each[@]}" </dev/null
done
