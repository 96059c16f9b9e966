/** What browsers on other origins may do. The gateway answers for this, in the cloud and here; functions do not. */
export interface CrossOrigin {
  /** `*` stands for any. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  /** Seconds that a browser may remember the answer. */
  readonly maximumAge: number;
}

/** What is usual; a deployment can name other origins. */
export const crossOrigin = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  requestHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  exposedHeaders: ['etag', 'idempotency-replayed', 'link', 'location', 'retry-after', 'server-timing'],
  maximumAge: 3_600,
} as const satisfies CrossOrigin;
