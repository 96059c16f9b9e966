import type { Response } from './middleware.ts';

/** Returns a permanent redirect, which caches may keep for a day. */
export const redirectTo = (location: string): Response => ({
  statusCode: 308,
  headers: { location, 'cache-control': 'public, max-age=86400' },
});
