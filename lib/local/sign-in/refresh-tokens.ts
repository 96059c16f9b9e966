/** The refresh tokens of the local issuer. They rotate as those of Cognito do. */
import { randomUUID } from 'node:crypto';
import { refreshGraceSeconds } from '../../hosting/functions.ts';

/** Refresh tokens that are kept at once: without this limit, those that nobody uses would stay until the process ends. */
const maxTokens = 10_000;

export class RefreshTokens<Grant> {
  readonly #tokens = new Map<string, { readonly grant: Grant; endsAt: number }>();
  readonly #now: () => number;

  /** @param now the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  issue(grant: Grant): string {
    if (this.#tokens.size >= maxTokens) this.#tokens.clear();
    const token = randomUUID();
    this.#tokens.set(token, { grant, endsAt: Number.POSITIVE_INFINITY });
    return token;
  }

  /** Returns the grant of a token; `undefined` when it is unknown, or was used before the grace period. */
  find(token = ''): Grant | undefined {
    const found = this.#tokens.get(token);
    return found && this.#now() < found.endsAt ? found.grant : undefined;
  }

  /** Lets the grace period of a token begin with its first use. */
  use(token = ''): void {
    const found = this.#tokens.get(token);
    if (found) found.endsAt = Math.min(found.endsAt, this.#now() + 1_000 * refreshGraceSeconds);
  }
}
