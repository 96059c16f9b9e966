/** What clients of AWS do with a service that does not respond, in milliseconds. Without `throwOnRequestTimeout`, the SDK logs a warning and waits. */
export const requestHandler = {
  /** Until a connection is open. */
  connectionTimeout: 1_000,
  /** Until a response begins, and until it continues. */
  requestTimeout: 2_000,
  socketTimeout: 2_000,
  throwOnRequestTimeout: true,
} as const;
