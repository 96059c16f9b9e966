import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkHealth } from '../../functions/health/contract.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';

/** Milliseconds until a request is given up: the gateway gives up after 30 seconds. */
const longestRequest = 35_000;

/** How often a request is tried that the server could not serve just then. */
const mostTries = 8;

/** Milliseconds to wait when the server does not say how long. */
const usualPause = 1_000;

/** The server is not there, or does not do what it is asked for. The message is for people. */
export class ServerError extends Error {}

/** Milliseconds that `Retry-After` asks for, which is seconds or a date (RFC 9110, 10.2.3). */
export function pauseOf(retryAfter: string | null, now = Date.now()): number {
  if (!retryAfter) return usualPause;
  const milliseconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return Number.isNaN(milliseconds) ? usualPause : Math.min(Math.max(milliseconds, 0), 60_000);
}

/** What an answer says is wrong: a problem's detail, or as much of another text as fits on a line. */
function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Not one of ours.
  }
  return text.replaceAll(/\s+/g, ' ').slice(0, 200);
}

/** A server, as far as filling it goes. */
export class ApiClient {
  readonly #url: string;
  #requests = 0;

  /** @param url without a slash at the end. */
  constructor(url: string) {
    this.#url = url;
  }

  /** How many there were, those that were tried again included. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * Makes sure that this is a server of ours, and well.
   * @throws ServerError that says what is there instead.
   */
  async check(): Promise<void> {
    const url = this.#url + checkHealth.path;
    let answer: Response;
    try {
      answer = await this.#send(url, { method: checkHealth.method });
    } catch (error) {
      throw new ServerError(
        `No server answers at ${this.#url}. Start one with "npm start", or say where it is with --url.`,
        { cause: error },
      );
    }
    const text = await answer.text();
    if (answer.status === 200 && /"status"/.test(text)) return;
    const reason = answer.status >= 500 ? 'is not well' : 'is another server';
    throw new ServerError(
      `What answers at ${this.#url} ${reason}: ${checkHealth.path} gives ${answer.status} ${detailOf(text)}`,
    );
  }

  /**
   * Creates an entity. A request that the server could not serve, or that got no answer, is sent again under
   * the same key, so that it is never done twice.
   * @returns its id.
   * @throws ServerError when the server refuses, or cannot be reached for long.
   */
  async create({ method, path }: Contract, body: unknown): Promise<string> {
    const init = {
      method,
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify(body),
    };
    let reason = '';
    for (let attempt = 1; attempt <= mostTries; attempt += 1) {
      let pause = usualPause;
      try {
        const answer = await this.#send(this.#url + path, init);
        const text = await answer.text();
        if (answer.status === 201) return (JSON.parse(text) as { id: string }).id;
        reason = `${method} ${path} gives ${answer.status} ${detailOf(text)}`;
        if (answer.status !== 503 && answer.status !== 429) break;
        pause = pauseOf(answer.headers.get('retry-after'));
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        reason = `${method} ${path} got no answer: ${cause instanceof Error ? cause.message : String(error)}`;
      }
      if (attempt < mostTries) await delay(pause);
    }
    throw new ServerError(reason);
  }

  #send(url: string, init: RequestInit): Promise<Response> {
    this.#requests += 1;
    return fetch(url, { ...init, signal: AbortSignal.timeout(longestRequest) });
  }
}
