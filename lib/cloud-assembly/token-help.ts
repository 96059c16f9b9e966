import { checkIssuer } from '../local/issuer.ts';

const help = (scope: string): string => `Requests that need a token get the response 401. Do one of these:
  - Use the tokens of a deployed Cognito user pool. Start with
      --authentication-issuer https://cognito-idp.<region>.amazonaws.com/<UserPoolId>
      --authentication-audience <AppClientId>,<MachineClientId>
    and get a token with the outputs of the deployment ("Sign-in" in docs/deployment.md):
      curl -s $SignInUrl/oauth2/token -u $MachineClientId:$secret -d grant_type=client_credentials
  - Use the tokens of your own issuer. Start with
      --authentication-issuer <url> --authentication-audience <names>
    and get a token with the scopes of the templates, for example "${scope}".
  - Run without authentication. Synthesize again, and start again:
      npm run synth -- -c authentication=none`;

/**
 * Returns how to get a token when the issuer is unreachable, for example because its user pool is not deployed.
 * @param scope a scope of the API, as an example.
 * @returns undefined when the issuer's tokens can be verified.
 */
export async function tokenHelp(issuer: string, scope: string): Promise<string | undefined> {
  try {
    await checkIssuer(issuer);
    return undefined;
  } catch (error) {
    return `Tokens cannot be verified: ${(error as Error).message}.\n${help(scope)}`;
  }
}
