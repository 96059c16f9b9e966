import * as oauth from 'oauth4webapi';

const issuer = new URL('http://localhost:3001');
const client = { client_id: 'my-app' };
const redirectUri = `${location.origin}/`;
const options = { [oauth.allowInsecureRequests]: issuer.hostname === 'localhost' };
let renewal: Promise<string> | undefined;

const read = (key: string) => JSON.parse(sessionStorage.getItem(key) ?? '{}');
const write = (key: string, value: object) => sessionStorage.setItem(key, JSON.stringify(value));
const discover = async () =>
  oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
const isResponse = () => new URLSearchParams(location.search).get('state') === read('sign-in').state;

/** Returns whether there is a session, or the page opens with the response to `signIn`. */
export const isSignedIn = (): boolean => 'token' in read('session') || isResponse();

/** Leaves the page for that of the issuer, which leads back. */
export const signIn = async (): Promise<void> => location.assign(await signInAddress());

/** Returns the token of the session. A new one replaces a token that expires within a minute. */
export async function accessToken(): Promise<string> {
  const { token, expires } = read('session');
  if (expires > Date.now() + 60_000 && !isResponse()) return token;
  // Requests at the same time wait for one renewal.
  renewal ??= (isResponse() ? completeSignIn() : renew()).finally(() => (renewal = undefined));
  return renewal;
}

/** Ends the session, also at the issuer. Leaves the page for the redirect address. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem('session');
  // Offline, the session at the issuer goes on until it expires.
  const { end_session_endpoint: endpoint } = await discover().catch(() => ({}) as oauth.AuthorizationServer);
  // The standard parameter, and that of Cognito.
  const addresses = { post_logout_redirect_uri: redirectUri, logout_uri: redirectUri };
  location.replace(
    endpoint ? `${endpoint}?${new URLSearchParams({ ...client, ...addresses })}` : redirectUri,
  );
}

async function signInAddress(): Promise<string> {
  const { authorization_endpoint } = await discover();
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const parameters = new URLSearchParams({
    ...client,
    response_type: 'code',
    redirect_uri: redirectUri,
    // What the app does. Expanded projects, for example, also need projects:read.
    scope: 'openid tasks:read tasks:write',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  write('sign-in', { verifier, state, page: location.href });
  return `${authorization_endpoint}?${parameters}`;
}

async function completeSignIn(): Promise<string> {
  const { verifier, state, page } = read('sign-in');
  sessionStorage.removeItem('session');
  try {
    const server = await discover();
    const code = oauth.validateAuthResponse(server, client, new URL(location.href), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      code,
      redirectUri,
      verifier,
      options,
    );
    return keep(await oauth.processAuthorizationCodeResponse(server, clientAt(response), response));
  } finally {
    sessionStorage.removeItem('sign-in');
    history.replaceState(null, '', page);
  }
}

async function renew(): Promise<string> {
  const { token, refreshToken } = read('session');
  if (!token) throw new Error('Nobody is signed in.');
  if (refreshToken) {
    const server = await discover();
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshToken,
      options,
    );
    // The issuer responds 400 when the refresh token has expired.
    if (response.status !== 400)
      return keep(
        await oauth.processRefreshTokenResponse(server, clientAt(response), response),
        refreshToken,
      );
  }
  location.replace(await signInAddress());
  return new Promise(() => {}); // The browser leaves the page.
}

/** Returns the client with the clock of the issuer, if pages may read its header `Date`. */
function clientAt({ headers }: Response): oauth.Client {
  const seconds = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000;
  return { ...client, [oauth.clockSkew]: Math.round(seconds) || 0 };
}

function keep(response: oauth.TokenEndpointResponse, earlier?: string): string {
  const { access_token: token, expires_in: seconds = 3600, refresh_token: refreshToken = earlier } = response;
  write('session', { token, refreshToken, expires: Date.now() + seconds * 1000 });
  return token;
}
