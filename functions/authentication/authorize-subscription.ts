/**
 * Decides whether a caller may subscribe to a channel. AppSync has verified the signature, the issuer and the time of the token; by default it accepts those of
 * every client, so the audience is checked here as well. The function has no permission to read the table.
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/direct-lambda-integrations.html
 */
import type { Context } from 'aws-lambda';
import { encodeTenant, publicTenant, scopesOf } from '../http/caller.ts';
import { channelsOf } from '../http/live-channels.ts';
import { environment } from '../runtime/environment.ts';
import { logError } from '../runtime/logger.ts';

interface SubscriptionEvent {
  readonly identity?: { readonly claims?: Readonly<Record<string, unknown>> } | null;
  readonly info?: { readonly operation?: string; readonly channel?: { readonly path?: string } };
}

/** What AppSync expects: `null` allows the subscription. */
type Decision = null | { readonly error: string };

const refused = { error: 'The token does not allow this channel. GET /v1/live names those that it allows.' };

/** Returns whether a token is for this API, as the authorizer of the gateway decides: by `aud`, or by `client_id` without one. */
function isForThisApi({
  aud,
  client_id: client,
  token_use: use,
}: Readonly<Record<string, unknown>>): boolean {
  const accepted = environment.audience();
  return use !== 'id' && [aud ?? client].flat().some((one) => accepted.includes(String(one)));
}

/** Returns the channels of a caller by its claims; none for a token that is not for this API, or that names no tenant. */
function allowedChannels(claims: Readonly<Record<string, unknown>>): string[] {
  const tenantClaim = environment.tenantClaim();
  if (tenantClaim === undefined) return Object.values(channelsOf({ tenant: publicTenant }));
  const name = claims[tenantClaim];
  const tenant = typeof name === 'string' ? encodeTenant(name) : undefined;
  if (tenant === undefined || !isForThisApi(claims)) return [];
  return Object.values(channelsOf({ tenant, scopes: scopesOf(claims) }));
}

/** @returns a decision, whatever the event is. AppSync does not say what it makes of a function that throws. */
export async function handler(event: SubscriptionEvent, context: Context): Promise<Decision> {
  try {
    const { identity, info } = event;
    const allowed = allowedChannels(identity?.claims ?? {});
    return info?.operation === 'SUBSCRIBE' && allowed.includes(info.channel?.path ?? '') ? null : refused;
  } catch (error) {
    const { awsRequestId: requestId } = context;
    const line = { requestId, operation: 'authorizeSubscription', tenant: '', duration: 0 };
    logError('A subscription was not decided.', line, error);
    return refused;
  }
}
