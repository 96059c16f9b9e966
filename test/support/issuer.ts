import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

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

/** Returns a key that does not belong to the issuer. */
export const strangeKey = async (): Promise<CryptoKey> => (await generateKeyPair(algorithm)).privateKey;

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: algorithm, use: 'sig' }];
  const server = createServer((request, response) => {
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys` },
      '/keys': { keys },
    };
    const found = documents[request.url ?? ''];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token: (claims = {}, { header = {}, key = privateKey } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: url, aud: audience, sub: 'somebody', tenant: 'acme', iat: now, exp: now + 3_600 };
      return new SignJWT({ ...usual, ...claims } as JWTPayload)
        .setProtectedHeader({ alg: algorithm, kid: 'first', ...header })
        .sign(key);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
