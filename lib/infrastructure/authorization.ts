import { Aws } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { scopeName } from '../hosting/scopes.ts';
import type { Accounts } from './accounts.ts';
import type { Settings } from './settings.ts';

export interface Authorization {
  readonly authorizer: HttpJwtAuthorizer;
  readonly scopeName: (scope: string) => string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns an authorizer for the tokens of the user pool or of another issuer. @returns undefined when authentication is off. */
export function authorization(
  { authentication, audience, tenantClaim }: Settings,
  accounts: Accounts | undefined,
): Authorization | undefined {
  if (authentication === 'none') return undefined;
  const issuer = accounts
    ? `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${accounts.userPoolId}`
    : authentication;
  const jwtAudience = [...(accounts?.clientIds ?? audience)];
  return {
    authorizer: new HttpJwtAuthorizer('Authorizer', issuer, { jwtAudience }),
    scopeName: (name) => scopeName(issuer, name),
    environment: { TENANT_CLAIM: tenantClaim, SCOPE_PREFIX: scopeName(issuer, '') },
  };
}
