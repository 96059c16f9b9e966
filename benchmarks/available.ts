/** Requests of set-ups: what is measured needs their entities, and a busy machine may respond 503. */
import { setTimeout as delay } from 'node:timers/promises';

const maxAttempts = 20;

/** Sends a request until its status is not 503. @throws Error when the status is an error. */
async function requireResponse(url: string, init: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, init);
    if (response.ok) return response;
    if (response.status !== 503 || attempt === maxAttempts)
      throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
    await delay(1_000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

/** Creates an entity. @param url of the collection. @returns its id. */
export async function requireEntity(url: string, fields: object): Promise<string> {
  const response = await requireResponse(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return ((await response.json()) as { id: string }).id;
}
