/**
 * List prices of AWS in US dollars of 2026-11-22, without free tiers, for the region us-east-1. AWS changes them: compare them with its pages
 * before a decision.
 * @see https://aws.amazon.com/pricing/
 */
export const prices = {
  /** DynamoDB on demand: a million read units. */
  readUnits: 0.125,
  /** Lambda on ARM: a million invocations, and a GB-second. */
  invocations: 0.2,
  gbSecond: 0.000_013_333_4,
  /** HTTP API: a million requests. */
  requests: 1,
  /** CloudWatch: a GB of logs. */
  logsGb: 0.5,
  /** A GB to the internet. */
  transferGb: 0.09,
} as const;
