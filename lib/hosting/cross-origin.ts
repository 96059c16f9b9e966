/** What browsers on other origins may do. The gateway answers for this, in the cloud and here; functions do not. */
export interface CrossOrigin {
  /** `*` allows any origin. On this machine, `http://localhost:*` allows that host with any port, or none. */
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

/** The origins of pages that this machine serves. `npm start` allow these. */
export const localOrigins = ['localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
]);

const anyPort = ':*';

/** Compares text with text: a pattern that parses an origin could take `http://localhost.example.com` for a port. */
function matches(pattern: string, origin: string): boolean {
  if (!pattern.endsWith(anyPort)) return pattern === origin;
  const withoutPort = pattern.slice(0, -anyPort.length);
  return origin.startsWith(withoutPort) && /^(?::\d{1,5})?$/.test(origin.slice(withoutPort.length));
}

/**
 * Returns the value of `Access-Control-Allow-Origin` for a request from an origin.
 * @returns undefined when the origin is not allowed.
 */
export function allowedOrigin(origins: readonly string[], origin: string): string | undefined {
  if (origins.includes('*')) return '*';
  return origins.some((pattern) => matches(pattern, origin)) ? origin : undefined;
}

/** Returns whether a text is an origin as a browser sends it, `https://app.example.com`, or `*`. */
export const isOrigin = (text: string): boolean =>
  text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
