/**
 * Delivers an event of the bus to an address, signed as Standard Webhooks says. The rule in `rule.ts` calls it.
 * @see https://www.standardwebhooks.com
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type Address, publicAddress } from './public-address.ts';

export interface Event {
  /** The same whenever the event is delivered again. */
  readonly id: string;
  readonly type: string;
}

interface Receiver {
  readonly url: URL;
  /** Its key, `whsec_…`: the receiver checks the signature with it. */
  readonly secret: string;
  /** Returns the address to connect to, or refuses it. */
  readonly addressOf?: (url: URL) => Promise<Address>;
}

/** Milliseconds that the receiver has. It must respond before it does its work. */
const timeoutMs = 10_000;

function post(url: URL, checked: Address, headers: Record<string, string>, body: string): Promise<number> {
  // The connection goes to the address that was checked, whatever the name resolves to by now.
  const lookup: LookupFunction = (_, { all }, found) =>
    all ? found(null, [checked]) : found(null, checked.address, checked.family);
  const options = { method: 'POST', headers, lookup, signal: AbortSignal.timeout(timeoutMs) };
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end(body);
  });
}

/** @throws Error when the receiver does not accept the event. A redirect is not followed: nobody has checked where it leads. */
export async function deliver(
  event: Event,
  { url, secret, addressOf = publicAddress }: Receiver,
): Promise<void> {
  const body = JSON.stringify(event);
  const now = new Date();
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(event.id, now, body),
  };
  const status = await post(url, await addressOf(url), headers, body);
  if (status < 200 || status > 299) throw new Error(`${url.host} responded with the status ${status}.`);
}

/** The function that the rule calls. Lambda calls it again when it throws. */
export async function handler({ detail }: { readonly detail: Event }): Promise<void> {
  const { WEBHOOK_URL = '', WEBHOOK_SECRET = '' } = process.env;
  await deliver(detail, { url: new URL(WEBHOOK_URL), secret: WEBHOOK_SECRET });
}
