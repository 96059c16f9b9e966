/**
 * Limits the requests of a tenant over all processes, if the setting is on. The limit is approximate: each process decides by what it
 * has counted itself and what the others have published. No request waits for a publication.
 */
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { environment } from '../runtime/environment.ts';
import { logError } from '../runtime/logger.ts';
import { openDatabase } from '../store/dynamodb/open-database.ts';
import { countsQuery, encodeCount, sumOfOthers, windowMs } from '../store/model/request-counts.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { Problem } from './problems.ts';
import { logContext } from './request-log.ts';
import { type Publication, RequestRates } from './request-rates.ts';
import type { SessionEvent } from './session.ts';

const windowSeconds = windowMs / 1_000;

/** Milliseconds after which a publication is given up. The next one contains its requests as well. */
const maxPublicationMs = 1_000;

/** What this process knows of each tenant. It is module state because it must outlive a request. */
const rates = new RequestRates(randomUUID());

async function publish(publication: Publication, context: Context): Promise<void> {
  const database = openDatabase(context, 0, maxPublicationMs);
  const [{ items }] = await Promise.all([
    database.query(countsQuery(publication)),
    database.putItem(encodeCount(publication)),
  ]);
  rates.learn(publication, sumOfOthers(items, publication));
}

/**
 * Publishes the count of a tenant if it is due. Lambda freezes the process after the response: a publication that has not ended by then
 * continues with the next request, or is lost.
 */
function publishWhenDue(operation: string, tenant: string, request: PipelineRequest, nowMs: number): void {
  const publication = rates.beginPublication(tenant, nowMs);
  if (!publication) return;
  publish(publication, request.context).catch((error: unknown) =>
    logError('The count of requests was not published.', logContext(operation, request), error),
  );
}

/**
 * Returns the middleware that limits the requests of a tenant. It runs after the session is open.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export const rateLimit = (operation: string): Middleware => ({
  before: async (request) => {
    const rate = environment.tenantRate();
    if (rate === undefined) return;
    const { tenant, database } = (request.event as SessionEvent).session;
    const nowMs = await database.time();
    const quota = rate * windowSeconds;
    const { isAllowed, remaining, resetSeconds } = rates.count(tenant, quota, nowMs);
    request.event.rateLimitHeaders = {
      'ratelimit-policy': `"default";q=${quota};w=${windowSeconds}`,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    };
    publishWhenDue(operation, tenant, request, nowMs);
    if (isAllowed) return;
    const detail = `More than ${quota} requests in ${windowSeconds} seconds. The next ones are accepted after the seconds in Retry-After.`;
    throw new Problem('too-many-requests', detail, { headers: { 'retry-after': String(resetSeconds) } });
  },
});
