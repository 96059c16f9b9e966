import { Stack } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { Construct } from 'constructs';
import { type Accounts, resourceServer } from './accounts.ts';
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
  settings: Settings,
  accounts: Accounts | undefined,
): Authorization | undefined {
  const environment = { TENANT_CLAIM: settings.tenantClaim };
  if (accounts) {
    const { userPoolId } = accounts.pool;
    const issuer = `https://cognito-idp.${Stack.of(scope).region}.amazonaws.com/${userPoolId}`;
    const jwtAudience = [accounts.appClient, accounts.machineClient].map(
      ({ userPoolClientId }) => userPoolClientId,
    );
    return {
      authorizer: new HttpJwtAuthorizer('Authorizer', issuer, { jwtAudience }),
      scopeName: (name) => `${resourceServer}/${name}`,
      environment,
    };
  }
  if (settings.authentication === 'none') return undefined;
  return {
    authorizer: new HttpJwtAuthorizer('Authorizer', settings.authentication, {
      jwtAudience: [...settings.audience],
    }),
    scopeName: (name) => name,
    environment,
  };
}
