/**
 * Limits the capacity units of a tenant over all processes, if the setting is on. The limit is approximate: each process decides by what its
 * own requests have used and what the others had published when it published last. No request waits for a publication.
 */
import { openDatabase } from '../open-database.ts';
import { environment } from '../runtime/environment.ts';
import { logError } from '../runtime/logger.ts';
import { now } from '../runtime/time-and-chance.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { Problem } from './problems.ts';
import { logContext } from './request-log.ts';
import type { SessionEvent } from './session.ts';
import { WindowUnits, windowMs } from './tenant-units.ts';

const windowSeconds = windowMs / 1_000;

/** Milliseconds after which a publication is given up. The next one contains its units as well. */
const maxPublicationMs = 1_000;

/** Units of a request that used less, for example of a refused one. */
const minRequestUnits = 1;

/** What this process knows of each tenant. It is module state because it must outlive a request. */
const ofTenants = new WindowUnits();

/** Adds what the request has used, and sets its headers. After an error in a later middleware, it runs a second time. */
function finish({ event }: PipelineRequest): void {
  const { session, limited } = event;
  if (!session || !limited || limited.headers) return;
  const { units, quota, resetSeconds } = limited;
  const { readUnits, writeUnits } = session.database.consumption;
  units.add(Math.max(minRequestUnits, readUnits + writeUnits));
  const remaining = Math.max(0, Math.floor(quota - units.used));
  limited.headers = {
    'ratelimit-policy': `"default";q=${quota};qu="capacity-units";w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
}

/**
 * Returns the middleware that limits what a tenant uses: a request is refused by what earlier ones have used. It runs after the session is
 * open.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export const rateLimit = (operation: string): Middleware => ({
  before: (request) => {
    const rate = environment.tenantRate();
    if (rate === undefined) return;
    const { tenant } = (request.event as SessionEvent).session;
    const quota = rate * windowSeconds;
    const nowMs = now();
    const units = ofTenants.of(tenant, nowMs);
    const resetSeconds = Math.ceil((units.endMs - nowMs) / 1_000);
    request.event.limited = { units, quota, resetSeconds };
    // Lambda freezes the process after the response: a publication that has not ended by then continues with the next request, or is lost.
    units
      .publish(quota, nowMs, (own) =>
        openDatabase(request.context, maxPublicationMs).count(units.key, own, units),
      )
      .catch((error: unknown) =>
        logError('The units of the tenant were not published.', logContext(operation, request), error),
      );
    if (units.used < quota) return;
    const detail = `Your requests have used ${quota} capacity units in ${windowSeconds} seconds. The next ones are accepted after the seconds in Retry-After.`;
    throw new Problem('too-many-requests', detail, { headers: { 'retry-after': String(resetSeconds) } });
  },
  after: finish,
  onError: finish,
});
