/**
 * Reads the configuration and the keys of an OpenID issuer.
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 */

const maxStartLookupMs = 5_000;

/** Returns the message of the innermost cause. The message of `fetch` itself is only "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // An AggregateError for several addresses has a code but no message.
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

/** @throws Error that names the address and what failed. */
async function readObject(url: string, timeoutMs: number): Promise<Readonly<Record<string, unknown>>> {
  const failure = (reason: string, cause?: unknown): Error =>
    new Error(`GET ${url} failed: ${reason}`, { cause });
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    throw failure(isLate ? `no response within ${timeoutMs / 1_000} seconds` : reasonOf(error), error);
  }
  if (status !== 200) throw failure(`the response has the status ${status}`);
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch (error) {
    throw failure('the response is not JSON', error);
  }
}

/**
 * Returns the address of the issuer's keys.
 * @param issuer the claim `iss` of its tokens.
 * @throws Error that names the address and what failed.
 */
export async function findKeys(issuer: string, timeoutMs: number): Promise<URL> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { jwks_uri: keys, issuer: name = issuer } = await readObject(url, timeoutMs);
  if (typeof keys !== 'string' || !URL.canParse(keys)) {
    throw new Error(`GET ${url} failed: the response is not an OpenID configuration: it has no "jwks_uri"`);
  }
  if (name !== issuer) {
    throw new Error(`GET ${url} failed: the response belongs to another issuer, ${JSON.stringify(name)}`);
  }
  return new URL(keys);
}

/** @throws Error that names the address and what failed, in one line. */
export async function checkIssuer(issuer: string): Promise<void> {
  const { href } = await findKeys(issuer, maxStartLookupMs);
  const { keys } = await readObject(href, maxStartLookupMs);
  if (!Array.isArray(keys) || keys.length === 0)
    throw new Error(`GET ${href} failed: the response has no keys`);
}

/** @throws Error that says in one line what failed and what to do. */
export async function requireIssuer(issuer: string): Promise<void> {
  try {
    await checkIssuer(issuer);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `The tokens of the issuer cannot be verified: ${message}. Correct AUTHENTICATION_ISSUER, or start the issuer first.`,
      { cause: error },
    );
  }
}
