#!/usr/bin/env bash
# Waits until a restored table is active, switches on what a restore leaves out, and tags the table.
# Usage: complete-table.sh <table> <stage>
set -euo pipefail
table=$1
case $2 in
  development | development-*) protection=--no-deletion-protection-enabled ;;
  *) protection=--deletion-protection-enabled ;;
esac
# Each attempt waits for eight minutes.
for _ in {1..60}; do aws dynamodb wait table-exists --table-name "$table" && break; done
arn=$(aws dynamodb describe-table --table-name "$table" --query Table.TableArn --output text)
aws dynamodb tag-resource --resource-arn "$arn" --tags Key=application,Value=project-management "Key=stage,Value=$2"
aws dynamodb update-table --table-name "$table" "$protection"
aws dynamodb wait table-exists --table-name "$table"
# What is on already is an error, so a second run leaves it.
stream=$(aws dynamodb describe-table --table-name "$table" --query Table.StreamSpecification.StreamEnabled --output text)
[[ $stream == True ]] || aws dynamodb update-table --table-name "$table" \
  --stream-specification StreamEnabled=true,StreamViewType=KEYS_ONLY
aws dynamodb wait table-exists --table-name "$table"
expiry=$(aws dynamodb describe-time-to-live --table-name "$table" \
  --query TimeToLiveDescription.TimeToLiveStatus --output text)
[[ $expiry == ENABL* ]] || aws dynamodb update-time-to-live --table-name "$table" \
  --time-to-live-specification Enabled=true,AttributeName=expiresAt
for index in '' by-creation by-status; do
  aws dynamodb update-contributor-insights --table-name "$table" ${index:+--index-name "$index"} \
    --contributor-insights-action ENABLE --contributor-insights-mode THROTTLED_KEYS
done
# It is refused for some minutes after a restore.
for _ in {1..40}; do
  aws dynamodb update-continuous-backups --table-name "$table" \
    --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true && exit
  sleep 30
done
exit 1
