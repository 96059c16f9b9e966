import * as oauth from 'oauth4webapi';

const issuer = new URL(import.meta.env.VITE_ISSUER_URL ?? 'http://localhost:3001');
const client = { client_id: import.meta.env.VITE_CLIENT_ID ?? 'my-app' };
const redirectUri = `${location.origin}/callback`;
const options = { [oauth.allowInsecureRequests]: issuer.hostname === 'localhost' };

// Of this tab, until it is closed.
const stored = (name: string) => JSON.parse(sessionStorage.getItem(name) ?? '{}');
const store = (name: string, value: object) => sessionStorage.setItem(name, JSON.stringify(value));

const discover = async () =>
  oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));

/** Leaves the page for that of the issuer. */
export async function signIn() {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const { authorization_endpoint: endpoint } = await discover();
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'openid tasks:read tasks:write',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  store('sign-in', { verifier, state, page: location.href });
  location.assign(`${endpoint}?${parameters}`);
}

/** Completes a sign-in on the page of the redirect address, and shows the address of before. Call it when the app starts. */
export async function completeSignIn() {
  if (location.pathname !== '/callback') return;
  const { verifier, state, page = '/' } = stored('sign-in');
  const server = await discover();
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    options,
  );
  storeSession(await oauth.processAuthorizationCodeResponse(server, client, response));
  sessionStorage.removeItem('sign-in');
  history.replaceState(null, '', page);
}

function storeSession({ access_token: token, expires_in = 300, refresh_token }: oauth.TokenEndpointResponse) {
  const renewAt = Date.now() + (expires_in - 60) * 1_000;
  store('session', { token, renewAt, refreshToken: refresh_token ?? stored('session').refreshToken });
}

let renewal: Promise<void> | undefined;

async function renew(refreshToken: string | undefined) {
  if (!refreshToken) return signIn();
  const server = await discover();
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
  try {
    storeSession(await oauth.processRefreshTokenResponse(server, client, response));
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    await signIn(); // The refresh token has expired.
  }
}

/** Returns the access token, renewed before it expires; `undefined` if nobody is signed in. */
export async function accessToken(): Promise<string | undefined> {
  const { renewAt, refreshToken } = stored('session');
  if (Date.now() > renewAt) {
    renewal ??= renew(refreshToken).finally(() => {
      renewal = undefined;
    });
    await renewal;
  }
  return stored('session').token;
}

/** Ends the session of this app and, if the issuer can, that of the issuer. */
export async function signOut() {
  sessionStorage.removeItem('session');
  const { end_session_endpoint: endpoint } = await discover();
  const parameters = new URLSearchParams({
    client_id: client.client_id,
    post_logout_redirect_uri: location.origin,
  });
  location.assign(endpoint ? `${endpoint}?${parameters}` : '/');
}
