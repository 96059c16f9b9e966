/**
 * List prices of AWS in US dollars, without free tiers, for the region us-east-1. AWS changes them: compare them with its pages before a
 * decision, and change the date.
 * @see https://aws.amazon.com/pricing/
 */
export const prices = {
  /** When this list was written. */
  date: '2026-11-22',
  /** DynamoDB on demand: a million units, and a GB-month. */
  readUnits: 0.125,
  writeUnits: 0.625,
  storageGb: 0.25,
  pointInTimeRecoveryGb: 0.2,
  /** AWS Backup: a GB-month of a backup of a table. */
  backupGb: 0.1,
  /** KMS: a key of your own for a month, and ten thousand calls. The default key, which AWS owns, costs nothing. */
  key: 1,
  keyCalls: 0.03,
  /** Lambda on ARM: a million invocations, and a GB-second. */
  invocations: 0.2,
  gbSecond: 0.000_013_333_4,
  /** HTTP API: a million requests. */
  requests: 1,
  /** CloudWatch: a GB of logs; an alarm metric, a metric of the service's own and a dashboard for a month. */
  logsGb: 0.5,
  alarmMetric: 0.1,
  customMetric: 0.3,
  dashboard: 3,
  /** EventBridge: a million events of up to 64 KB, a GB that the archive takes, and a GB-month in it. */
  events: 1,
  archivedGb: 0.1,
  archiveGb: 0.023,
  /** A GB to the internet. */
  transferGb: 0.09,
  /** Cognito: a user that is active in a month, a machine client for a month, and a thousand of its tokens. */
  activeUser: 0.015,
  machineClient: 6,
  machineTokens: 2.25,
} as const;
