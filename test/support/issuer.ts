import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { startResponder } from './http-server.ts';

/** An OpenID issuer with keys of its own. It also signs invalid tokens. */
export interface Issuer {
  readonly url: string;
  /** Returns a signed token. By default, it is valid for an hour. */
  token(claims?: Claims, more?: { readonly header?: object; readonly key?: CryptoKey }): Promise<string>;
  stop(): Promise<void>;
}

/** Claims of a token. undefined removes a default claim. */
type Claims = { readonly [Name in keyof JWTPayload]?: JWTPayload[Name] | undefined };

export const audience = 'project-management-test';

const algorithm = 'RS256';

/** Returns a key that does not belong to the issuer, and its public part. */
export async function strangeKey() {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { key: privateKey, jwk: await exportJWK(publicKey) };
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: algorithm, use: 'sig' }];
  const { url, stop } = await startResponder((request) => {
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys` },
      '/keys': { keys },
    };
    const body = documents[request.url ?? ''];
    return { status: body ? 200 : 404, body };
  });
  return {
    url,
    token: (claims = {}, { header = {}, key = privateKey } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: url, aud: audience, sub: 'somebody', tenant: 'acme', iat: now, exp: now + 3_600 };
      return new SignJWT({ ...usual, ...claims } as JWTPayload)
        .setProtectedHeader({ alg: algorithm, kid: 'first', ...header })
        .sign(key);
    },
    stop,
  };
}
