import { Stack } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { Construct } from 'constructs';
import { scopeName } from '../hosting/scopes.ts';
import type { Accounts } from './accounts.ts';
import type { Settings } from './settings.ts';

/** Who may call what, if anybody is asked. */
export interface Authorization {
  readonly authorizer: HttpJwtAuthorizer;
  /** What a scope is called in tokens. */
  readonly scopeName: (scope: string) => string;
  /** What functions must know of it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Tokens of the pool that the stack makes, or of another issuer; none when it was asked for. */
export function authorization(
  scope: Construct,
  { authentication, audience, tenantClaim }: Settings,
  accounts: Accounts | undefined,
): Authorization | undefined {
  if (authentication === 'none') return undefined;
  const issuer = accounts
    ? `https://cognito-idp.${Stack.of(scope).region}.amazonaws.com/${accounts.pool.userPoolId}`
    : authentication;
  const jwtAudience = accounts
    ? [accounts.appClient.userPoolClientId, accounts.machineClient.userPoolClientId]
    : [...audience];
  return {
    authorizer: new HttpJwtAuthorizer('Authorizer', issuer, { jwtAudience }),
    scopeName: (name) => scopeName(issuer, name),
    environment: { TENANT_CLAIM: tenantClaim, SCOPE_PREFIX: scopeName(issuer, '') },
  };
}
