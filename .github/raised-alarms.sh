#!/usr/bin/env bash
# Prints the names of the alarms of a stage that are raised and concern a deployment of it: about its requests, its sign-in and its jobs. Others
# are about the account or the table, which a rollback does not mend. Fails when AWS does not respond.
set -euo pipefail
names=$(aws cloudwatch describe-alarms --state-value ALARM --alarm-name-prefix "project-management-$1-" \
  --query 'MetricAlarms[].AlarmName' --output text)
tr '\t' '\n' <<<"$names" | sed -nE "/^project-management-$1-(RequestsFail|RequestsAreSlow|SignInFails|JobsFail)\$/p" | sort
