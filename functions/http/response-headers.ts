/** Sets the headers that every response has, and removes the content of responses to `HEAD`. */

import { newConsumption } from '../engine/table/query.ts';
import { environment } from '../runtime/environment.ts';
import type { Middleware, PipelineEvent, PipelineRequest } from './middleware.ts';

/** A year. Other services can use the subdomains of a custom domain, so it does not include them (RFC 6797). */
const strictTransportSecurity = 'max-age=31536000';

function serverTiming({ session }: PipelineEvent): string {
  const { calls, readUnits, writeUnits, durationMs } = session?.database.consumption ?? newConsumption();
  return `dynamodb;dur=${durationMs.toFixed(1)};desc="calls=${calls}, read=${readUnits}, write=${writeUnits}"`;
}

function complete({ event, response }: PipelineRequest): void {
  if (!response) return;
  response.headers = {
    ...response.headers,
    ...event.limited?.headers,
    // Most responses contain texts of users: no browser may interpret them as a page (OWASP REST Security Cheat Sheet).
    'x-content-type-options': 'nosniff',
    // API Gateway sets the header to "https", the local gateway to "http".
    ...(event.headers['x-forwarded-proto'] === 'https' && {
      'strict-transport-security': strictTransportSecurity,
    }),
    // Only on a local host: it tells callers who do not see all that an entity is hidden, not missing.
    ...(environment.serverTiming() && { 'server-timing': serverTiming(event) }),
  };
  // RFC 9110, 9.3.2: the headers of GET, and no content.
  if (event.requestContext.http.method === 'HEAD') delete response.body;
}

export const responseHeaders: Middleware = { after: complete, onError: complete };
