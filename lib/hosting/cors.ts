/** CORS. The gateway implements it, in the cloud and on this machine; the functions do not. */
export interface CrossOrigin {
  /** `*` allows any origin. On this machine, `http://localhost:*` allows that host with any port or without one. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

export const crossOrigin = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  requestHeaders: [
    'authorization',
    // Libraries that measure pages and requests send these.
    'baggage',
    'cache-control',
    'content-type',
    'idempotency-key',
    'if-match',
    'if-none-match',
    // Agents in a page send these to /mcp.
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'sentry-trace',
    'traceparent',
    'tracestate',
    'x-requested-with',
  ],
  exposedHeaders: [
    // Clients compare their clock with it.
    'date',
    'etag',
    'idempotency-replayed',
    'link',
    'location',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'server-timing',
    'www-authenticate',
    'x-total-count',
  ],
  maxAgeSeconds: 3_600,
} as const satisfies CrossOrigin;

/** Origins of pages that this machine serves. `npm start` always allows them. */
export const localOrigins = ['localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
]);

const anyPort = ':*';

/** Compares the text before the port. A looser comparison could match `http://localhost.example.com`. */
function matches(pattern: string, origin: string): boolean {
  if (!pattern.endsWith(anyPort)) return pattern === origin;
  const withoutPort = pattern.slice(0, -anyPort.length);
  return origin.startsWith(withoutPort) && /^(?::\d{1,5})?$/.test(origin.slice(withoutPort.length));
}

/** Returns the value of `Access-Control-Allow-Origin`; undefined for an origin that is not allowed. */
export function allowedOrigin(origins: readonly string[], origin: string): string | undefined {
  if (origins.includes('*')) return '*';
  return origins.some((pattern) => matches(pattern, origin)) ? origin : undefined;
}

/** Returns whether a text is an origin as a browser sends it, `https://app.example.com`, or `*`. */
export const isOrigin = (text: string): boolean =>
  text === '*' || (/^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text);
