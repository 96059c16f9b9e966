/**
 * The JWT authorizer of an HTTP API, on this machine.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { findKeys } from './issuer.ts';

/** Whose tokens are taken. */
export interface Authentication {
  /** As `iss` has it; its keys are found by its `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** One of these is in `aud`, or, when there is none, in `client_id`. */
  readonly audience: readonly string[];
}

/** What a function learns of the token, as `requestContext.authorizer.jwt`. */
export interface Granted {
  readonly claims: Record<string, string>;
  readonly scopes: string[];
}

/** A request that does not reach its function, and the answer to it. */
export class Refused extends Error {
  readonly answer: APIGatewayProxyStructuredResultV2;

  constructor(statusCode: 401 | 403, challenge: string, cause?: unknown) {
    super(challenge, { cause });
    this.answer = {
      statusCode,
      headers: { 'content-type': 'application/json', 'www-authenticate': challenge },
      body: JSON.stringify({ message: statusCode === 401 ? 'Unauthorized' : 'Forbidden' }),
    };
  }
}

/** Milliseconds that the issuer may take to say which keys it has; then nobody is let in. */
const longestLookup = 1_500;

/** The algorithms that the gateway knows. */
const algorithms = ['RS256', 'RS384', 'RS512'];

/** A claim as the gateway hands it over: all are text, and of an array the members are between brackets. */
function claimText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(claimText).join(' ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const scopesOf = ({ scope, scp = scope }: JWTPayload): string[] =>
  Array.isArray(scp) ? scp.map(String) : typeof scp === 'string' ? scp.split(' ') : [];

const isFor = (audience: readonly string[], { aud, client_id: clientId }: JWTPayload): boolean =>
  [aud ?? clientId].flat().some((one) => typeof one === 'string' && audience.includes(one));

export class Authorizer {
  readonly #authentication: Authentication;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
  }

  /** The issuer's keys; they are looked up when the first token comes, and again when that failed. */
  #issuerKeys(): Promise<JWTVerifyGetKey> {
    const load = async (): Promise<JWTVerifyGetKey> => {
      const keys = await findKeys(this.#authentication.issuer, longestLookup);
      return createRemoteJWKSet(keys, { timeoutDuration: longestLookup });
    };
    this.#keys ??= load().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #verified(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#authentication;
    const { payload, protectedHeader } = await jwtVerify(token, await this.#issuerKeys(), {
      issuer,
      algorithms,
      requiredClaims: ['exp'],
    });
    if (!protectedHeader.kid) throw new Error('The token does not say which key it is signed with.');
    if (!isFor(audience, payload)) throw new Error('The token is for another audience.');
    if ((payload.iat ?? 0) > Date.now() / 1_000) throw new Error('The token was issued in the future.');
    return payload;
  }

  /**
   * Lets a request through that carries a token with one of the scopes.
   * @throws Refused
   */
  async authorize(header: string | undefined, scopes: readonly string[]): Promise<Granted> {
    const token = /^(?:Bearer )?([^\s,]+)$/i.exec(header ?? '')?.[1];
    if (!token) throw new Refused(401, 'Bearer');
    const scope = `scope="${scopes.join(' ')}"`;
    const payload = await this.#verified(token).catch((cause: unknown) => {
      throw new Refused(401, `Bearer ${scope} error="invalid_token"`, cause);
    });
    const given = scopesOf(payload);
    if (scopes.length > 0 && !scopes.some((one) => given.includes(one))) {
      throw new Refused(403, `Bearer ${scope} error="insufficient_scope"`);
    }
    const claims = Object.entries(payload).map(([name, value]) => [name, claimText(value)]);
    return { claims: Object.fromEntries(claims) as Record<string, string>, scopes: [...scopes] };
  }
}
