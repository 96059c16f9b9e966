import { checkIssuer } from '../local/issuer.ts';

const help = (scope: string): string => `Requests that need a token are answered 401. Do one of these:
  - Take the tokens of a deployed Cognito pool. Start with
      --authentication-issuer https://cognito-idp.<region>.amazonaws.com/<UserPoolId>
      --authentication-audience <AppClientId>,<MachineClientId>
    and get a token with the outputs of the deployment ("A token" in docs/deployment.md):
      curl -s $SignInUrl/oauth2/token -u $MachineClientId:$secret -d grant_type=client_credentials
  - Take the tokens of your own issuer. Start with
      --authentication-issuer <url> --authentication-audience <names>
    and get a token from it whose scopes are those of the templates, like "${scope}".
  - Ask for no tokens. Synthesize again, and start again:
      npm run synth -- -c authentication=none`;

/**
 * Says how to get a token when the issuer cannot be reached: that of the templates is in a pool that is not deployed.
 * @param scope one that a token can need.
 * @returns undefined when the issuer's tokens can be checked.
 */
export async function tokenHelp(issuer: string, scope: string): Promise<string | undefined> {
  try {
    await checkIssuer(issuer);
    return undefined;
  } catch (error) {
    return `No token can be checked: ${(error as Error).message}.\n${help(scope)}`;
  }
}
