/** Returns the settings of a client. A region without an endpoint must not let the command wait for minutes. */
export const clientSettings = (region: string) => ({
  region,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
});
