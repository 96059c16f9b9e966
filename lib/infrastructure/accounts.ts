import { Aws, CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  type CfnUserPoolClient,
  ClientAttributes,
  FeaturePlan,
  LambdaVersion,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  StringAttribute,
  UserPool,
  type UserPoolClient,
  type UserPoolClientOptions,
  UserPoolOperation,
} from 'aws-cdk-lib/aws-cognito';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { roles } from '../../functions/authentication/roles.ts';
import { scopeOf } from '../../functions/contract/contract.ts';
import { routes } from '../../functions/routes.ts';
import { requestTimeoutMs, tenantClaimFile } from '../hosting/functions.ts';
import { resourceServer } from '../hosting/scopes.ts';
import { byPartition } from './aws-partitions.ts';
import { isDisposable } from './names.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';
import type { Settings } from './settings.ts';

const scopes = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))].sort();

/** Addresses on a developer's machine: an app, and `npm run token`. */
const localCallbackUrls = ['http://localhost:3000/', 'http://localhost:8976/'];

/** Returns the addresses that the sign-in page redirects to. A page on the user's machine gets no tokens of real data by default. */
const callbackUrlsOf = (settings: Settings): readonly string[] =>
  settings.callbackUrls.length === 0 && isDisposable(settings) ? localCallbackUrls : settings.callbackUrls;

const multiFactor = { off: Mfa.OFF, optional: Mfa.OPTIONAL, required: Mfa.REQUIRED };

/** The Cognito user pool and its clients. Users are data: the pool is retained, except in a disposable stage. */
export class Accounts extends Construct {
  readonly pool: UserPool;
  readonly clients: readonly UserPoolClient[];
  /** Puts the tenant into each token. When it fails, nobody can sign in. */
  readonly claimTenant: LambdaFunction;

  constructor(scope: Construct, id: string, context: ServiceFunctionContext) {
    super(scope, id);
    const { settings } = context;
    this.claimTenant = new ServiceFunction(this, 'claimTenant', {
      ...context,
      file: tenantClaimFile,
      description: 'Adds the tenant to access tokens, and limits their scopes to the roles of the user.',
      ...(settings.requireGroup && { environment: { REQUIRE_GROUP: 'true' } }),
      timeoutMs: requestTimeoutMs / 2,
    }).function;
    this.pool = this.#pool(settings);
    this.#groups(settings);
    const domainPrefix = `project-management-${settings.stage}-${Aws.ACCOUNT_ID}`;
    this.pool.addDomain('SignIn', { cognitoDomain: { domainPrefix } });
    const hosts = { aws: 'auth.', 'aws-us-gov': 'auth-fips.' };
    const signInHost = `${domainPrefix}.${byPartition(this, 'SignInHosts', hosts)}${Aws.REGION}.amazoncognito.com`;
    const server = this.pool.addResourceServer('ResourceServer', {
      identifier: resourceServer,
      scopes: scopes.map(
        (scopeName) => new ResourceServerScope({ scopeName, scopeDescription: describe(scopeName) }),
      ),
    });
    const allScopes = scopes.map((scopeName) =>
      OAuthScope.resourceServer(server, new ResourceServerScope({ scopeName, scopeDescription: scopeName })),
    );
    const callbackUrls = callbackUrlsOf(settings);
    const appClient = callbackUrls.length > 0 && this.#appClient(settings, callbackUrls, allScopes);
    const machineClient = settings.machineClient && this.#machineClient(allScopes);
    this.clients = [appClient, machineClient].filter((client) => client !== false);
    const output = (name: string, value: string) => new CfnOutput(Stack.of(this), name, { value });
    output('UserPoolId', this.pool.userPoolId);
    output('SignInUrl', `https://${signInHost}`);
    if (appClient) output('AppClientId', appClient.userPoolClientId);
    if (appClient) output('CallbackUrls', callbackUrls.join(','));
    if (machineClient) output('MachineClientId', machineClient.userPoolClientId);
  }

  /** Creates a group for each role. The members are data, as the users are. */
  #groups(settings: Settings): void {
    for (const [groupName, verbs] of Object.entries(roles)) {
      const description = `Limits the scopes of a user's tokens to ${verbs.join(' and ')}.`;
      const group = this.pool.addGroup(groupName, { groupName, description });
      group.applyRemovalPolicy(isDisposable(settings) ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN);
    }
  }

  #pool(settings: Settings): UserPool {
    const pool = new UserPool(this, 'Pool', {
      userPoolName: `project-management-${settings.stage}`,
      // Everyone who signs up would be a new tenant.
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      // Ada@example.com and ada@example.com are one user. This cannot be changed later.
      signInCaseSensitive: false,
      // A new address takes effect when its owner has confirmed it.
      keepOriginal: { email: true },
      mfa: multiFactor[settings.multiFactor],
      ...(settings.multiFactor !== 'off' && { mfaSecondFactor: { otp: true, sms: false } }),
      customAttributes: { tenant: new StringAttribute({ mutable: true, maxLen: 128 }) },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      // The first plan with custom claims in access tokens.
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: !isDisposable(settings),
      removalPolicy: isDisposable(settings) ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, this.claimTenant, LambdaVersion.V3_0);
    Validations.of(pool).acknowledge(
      {
        id: 'AwsSolutions-COG2',
        reason: 'The setting "multiFactor" decides on multi-factor authentication.',
      },
      {
        id: 'AwsSolutions-COG8',
        reason: 'Threat protection needs a plan with a price per user.',
      },
    );
    return pool;
  }

  /** Creates the client for apps, without a secret. Users sign in on the page of the pool. */
  #appClient(settings: Settings, callbackUrls: readonly string[], allScopes: OAuthScope[]): UserPoolClient {
    return this.#client('AppClient', settings.srpSignIn ? ['ALLOW_USER_SRP_AUTH'] : [], {
      generateSecret: false,
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, ...allScopes],
        callbackUrls: [...callbackUrls],
        logoutUrls: [...callbackUrls],
      },
    });
  }

  /** Creates the client for programs without a user. It is a tenant of its own. Each token costs money, so they live long. */
  #machineClient(allScopes: OAuthScope[]): UserPoolClient {
    return this.#client('MachineClient', [], {
      generateSecret: true,
      oAuth: { flows: { clientCredentials: true }, scopes: allScopes },
      accessTokenValidity: Duration.hours(24),
    });
  }

  #client(id: string, flows: readonly string[], options: UserPoolClientOptions): UserPoolClient {
    const client = this.pool.addClient(id, {
      preventUserExistenceErrors: true,
      // By default, users can write all attributes, including the tenant.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),
      ...options,
    });
    // Without this list, Cognito allows SRP and custom authentication. The construct leaves an empty list out.
    (client.node.defaultChild as CfnUserPoolClient).explicitAuthFlows = [
      'ALLOW_REFRESH_TOKEN_AUTH',
      ...flows,
    ];
    return client;
  }
}

const describe = (scope: string): string => {
  const [plural = '', verb = ''] = scope.split(':');
  return `${verb === 'read' ? 'Read' : 'Change'} ${plural}.`;
};
