/**
 * List prices of AWS in US dollars, without free tiers, for the region us-east-1. AWS changes them: compare them with its pages before a
 * decision, and change the date.
 * @see https://aws.amazon.com/pricing/
 */
export const prices = {
  /** When this list was written. */
  date: '2026-11-22',
  /** DynamoDB on demand: a million units. */
  readUnits: 0.125,
  writeUnits: 0.625,
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
  /** AppSync Events: a million operations, and a million minutes of connections. */
  liveOperations: 1,
  connectionMinutes: 0.08,
  /** A GB to the internet. */
  transferGb: 0.09,
} as const;
