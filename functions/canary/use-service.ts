/**
 * Uses the service once a minute as an app does, through its public address, in a tenant of its own: API Gateway may not report its own failures. It changes, lists,
 * deletes and restores one tag. What fails is an error of the function, which raises an alarm.
 */
import { environment } from '../runtime/environment.ts';
import { now } from '../runtime/time-and-chance.ts';

/** Milliseconds that one request may take. */
const timeoutMs = 5_000;

/** Milliseconds before its end at which a token is replaced. */
const marginMs = 60_000;

interface Tag {
  readonly id: string;
}

/** Section 5.1 of RFC 6749. */
interface TokenResponse {
  readonly access_token: string;
  readonly expires_in: number;
}

/** Kept until it ends: a pool of Cognito charges for each. */
let token: { readonly text: string; readonly untilMs: number } | undefined;

async function requestToken(): Promise<string> {
  if (token && token.untilMs > now() + marginMs) return token.text;
  const { tokenUrl, clientId, clientSecret } = environment.canaryClient();
  // Some issuers need more, as an audience: the parameters of the address are sent in the body, which is where they read them.
  const { origin, pathname, searchParams } = new URL(tokenUrl);
  searchParams.set('grant_type', 'client_credentials');
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(credentials)}` },
    body: searchParams,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`The token endpoint responded with ${response.status}.`);
  const { access_token: text, expires_in: seconds } = (await response.json()) as TokenResponse;
  token = { text, untilMs: now() + 1_000 * seconds };
  return text;
}

async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(environment.apiUrl() + path, {
    method,
    headers: {
      authorization: `Bearer ${await requestToken()}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 401) token = undefined;
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}.`);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

/** Checks how many tags a list finds by name. It has each change that was confirmed before. */
async function requireListed(name: string, expected: number): Promise<void> {
  const { total } = await send<{ readonly total: number }>(
    'GET',
    `/v1/tags?${new URLSearchParams({ name })}`,
  );
  if (total !== expected) throw new Error(`A list has the total ${total} instead of ${expected}.`);
}

/** @throws Error that says which request failed, or which list was wrong. */
export async function handler(): Promise<void> {
  const { data } = await send<{ readonly data: readonly Tag[] }>('GET', '/v1/tags?limit=1');
  // A run that was cut off may have left the tag deleted: then there is a new one.
  const { id } = data[0] ?? (await send<Tag>('POST', '/v1/tags', { name: 'Canary' }));
  const name = `Canary ${now()}`;
  await send('PATCH', `/v1/tags/${id}`, { name });
  await requireListed(name, 1);
  await send('DELETE', `/v1/tags/${id}`);
  await requireListed(name, 0);
  await send('POST', `/v1/tags/${id}/restore`);
}
