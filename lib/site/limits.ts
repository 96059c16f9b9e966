/** Limits of the documentation. Everyone can request it, and each response costs money, which a unit test calculates. */
import type { documentationPaths } from '../../functions/documentation/paths.ts';

interface RouteLimits {
  /** Bytes of a file without compression, at most. */
  readonly maxBytes: number;
  /** Requests in a second over time, and at once. A page that no cache has loads about ten files. */
  readonly rate: number;
  readonly burst: number;
}

export const routeLimits: Readonly<Record<(typeof documentationPaths)[number], RouteLimits>> = {
  '/docs': { maxBytes: 60_000, rate: 1, burst: 100 },
  '/docs/{path+}': { maxBytes: 500_000, rate: 0.9, burst: 300 },
  '/docs/reference.json': { maxBytes: 1_000_000, rate: 0.05, burst: 50 },
  '/llms.txt': { maxBytes: 30_000, rate: 0.5, burst: 50 },
  '/llms-full.txt': { maxBytes: 1_000_000, rate: 0.05, burst: 50 },
  '/v1/openapi.json': { maxBytes: 1_200_000, rate: 0.05, burst: 50 },
};

/** Bytes of a file with gzip, at most. */
export const maxGzipBytes = 150_000;

/** Returns the limits of the route that has a path. */
export const limitsOf = (path: string): RouteLimits =>
  (routeLimits as Readonly<Record<string, RouteLimits>>)[path] ?? routeLimits['/docs/{path+}'];
