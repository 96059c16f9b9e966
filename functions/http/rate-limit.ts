/**
 * Limits the capacity units of a tenant over all processes, if the setting is on. The limit is approximate: each process decides by what its
 * own requests have used and what the others have published. No request waits for a publication.
 */

import type { Context } from 'aws-lambda';
import {
  encodePublishedUnits,
  publishedUnitsQuery,
  sumOfOthers,
  windowMs,
} from '../engine/model/published-units.ts';
import { type Consumption, newConsumption } from '../engine/table/query.ts';
import { openDatabase } from '../open-database.ts';
import { environment } from '../runtime/environment.ts';
import { logError } from '../runtime/logger.ts';
import { now, randomId } from '../runtime/time-and-chance.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { Problem } from './problems.ts';
import { logContext } from './request-log.ts';
import type { SessionEvent } from './session.ts';
import { type Publication, TenantRates } from './tenant-rates.ts';

const windowSeconds = windowMs / 1_000;

/** Milliseconds after which a publication is given up. The next one contains its units as well. */
const maxPublicationMs = 1_000;

/** Units of a request that used less, for example of a refused one. */
const minRequestUnits = 1;

/** What this process knows of each tenant. It is module state because it must outlive a request. */
const rates = new TenantRates(randomId());

/** What publications have consumed that ended after the last response. No request is charged for it. */
let publicationConsumption = newConsumption();

async function publish(publication: Publication, context: Context): Promise<void> {
  const database = openDatabase(context, 0, maxPublicationMs);
  try {
    const [{ items }] = await Promise.all([
      database.query(publishedUnitsQuery(publication)),
      database.putItem(encodePublishedUnits(publication)),
    ]);
    rates.learn(publication, sumOfOthers(items, publication));
  } finally {
    for (const name of Object.keys(publicationConsumption) as (keyof Consumption)[]) {
      publicationConsumption[name] += database.consumption[name];
    }
  }
}

/**
 * Publishes the units of a tenant if it is due. Lambda freezes the process after the response: a publication that has not ended by then
 * continues with the next request, or is lost. So it begins with a request, and contains the units of earlier ones.
 */
function publishWhenDue(operation: string, quota: number, request: PipelineRequest, nowMs: number): void {
  const { tenant } = (request.event as SessionEvent).session;
  const publication = rates.beginPublication(tenant, quota, nowMs);
  if (!publication) return;
  publish(publication, request.context).catch((error: unknown) =>
    logError('The units of the tenant were not published.', logContext(operation, request), error),
  );
}

/** Returns the units of a tenant in a window; `undefined` without a limit. */
function quotaOfWindow(): number | undefined {
  const rate = environment.tenantRate();
  return rate === undefined ? undefined : rate * windowSeconds;
}

/** Adds what the request has used, and sets its headers. After an error in a later middleware, it runs a second time. */
function finish({ event }: PipelineRequest): void {
  const quota = quotaOfWindow();
  const { session, limitedAt } = event;
  if (quota === undefined || !session || limitedAt === undefined || event.rateLimit) return;
  const { readUnits, writeUnits } = session.database.consumption;
  rates.add(session.tenant, Math.max(minRequestUnits, readUnits + writeUnits), limitedAt);
  const { remaining, resetSeconds } = rates.allowance(session.tenant, quota, limitedAt);
  event.rateLimit = {
    headers: {
      'ratelimit-policy': `"default";q=${quota};qu="capacity-units";w=${windowSeconds}`,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    },
    consumption: publicationConsumption,
  };
  publicationConsumption = newConsumption();
}

/**
 * Returns the middleware that limits what a tenant uses: a request is refused by what earlier ones have used. It runs after the session is
 * open.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export const rateLimit = (operation: string): Middleware => ({
  before: async (request) => {
    const quota = quotaOfWindow();
    if (quota === undefined) return;
    const { tenant } = (request.event as SessionEvent).session;
    const nowMs = now();
    request.event.limitedAt = nowMs;
    publishWhenDue(operation, quota, request, nowMs);
    const { isAllowed, resetSeconds } = rates.allowance(tenant, quota, nowMs);
    if (isAllowed) return;
    const detail = `Your requests have used ${quota} capacity units in ${windowSeconds} seconds. The next ones are accepted after the seconds in Retry-After.`;
    throw new Problem('too-many-requests', detail, { headers: { 'retry-after': String(resetSeconds) } });
  },
  after: finish,
  onError: finish,
});
