import { Aws } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { scopeName } from '../hosting/scopes.ts';
import type { Accounts } from './accounts.ts';
import type { Settings } from './settings.ts';

/** The tokens that the API accepts. */
export interface AcceptedTokens {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** The environment of functions that read claims. */
  readonly environment: Readonly<Record<string, string>>;
}

type Clients = Pick<Accounts, 'userPoolId' | 'clientIds'>;

export type Authorization = NonNullable<ReturnType<typeof authorization>>;

/** Returns the tokens of the user pool or of another issuer. @returns undefined when authentication is off. */
export function acceptedTokens(
  { authentication, audience, tenantClaim }: Settings,
  accounts: Clients | undefined,
): AcceptedTokens | undefined {
  if (authentication === 'none') return undefined;
  const issuer = accounts
    ? `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${accounts.userPoolId}`
    : authentication;
  return {
    issuer,
    audience: accounts?.clientIds ?? audience,
    environment: { TENANT_CLAIM: tenantClaim, SCOPE_PREFIX: scopeName(issuer, '') },
  };
}

/** Returns an authorizer for the tokens that the API accepts. @returns undefined when authentication is off. */
export function authorization(settings: Settings, accounts: Clients | undefined) {
  const tokens = acceptedTokens(settings, accounts);
  if (!tokens) return undefined;
  const { issuer, audience } = tokens;
  return {
    ...tokens,
    authorizer: new HttpJwtAuthorizer('Authorizer', issuer, { jwtAudience: [...audience] }),
    scopeName: (name: string) => scopeName(issuer, name),
  };
}
