/** What browsers on other origins may do. The gateway answers for this, in the cloud and here; functions do not. */
export const crossOrigin = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  requestHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  exposedHeaders: ['etag', 'idempotency-replayed', 'link', 'location', 'retry-after', 'server-timing'],
  /** Seconds that a browser may remember the answer. */
  maximumAge: 3_600,
} as const;
