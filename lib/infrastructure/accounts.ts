import { Aws, CfnOutput, CfnResource, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
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
  UserPoolEmail,
  UserPoolOperation,
} from 'aws-cdk-lib/aws-cognito';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { roles } from '../../functions/authentication/roles.ts';
import { allProjectsScope } from '../../functions/contract/scopes.ts';
import { refreshGraceSeconds, requestTimeoutMs, tenantClaimFile } from '../hosting/functions.ts';
import { apiScopes, resourceServer } from '../hosting/scopes.ts';
import { isDisposable, signInDomain, signInUrl } from './names.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';
import { domainOf, type Settings } from './settings.ts';

/** Addresses on a developer's machine: an app, and `npx pm-api token`. */
const localCallbackUrls = ['http://localhost:3000/', 'http://localhost:8976/'];

/** Returns the addresses that the sign-in page redirects to. A page on the user's machine gets no tokens of real data by default. */
const callbackUrlsOf = (settings: Settings): readonly string[] =>
  settings.callbackUrls.length === 0 && isDisposable(settings) ? localCallbackUrls : settings.callbackUrls;

const multiFactor = { off: Mfa.OFF, optional: Mfa.OPTIONAL, required: Mfa.REQUIRED };

/** What the gateway and the alarms need of a user pool. */
export interface Accounts {
  readonly userPoolId: string;
  readonly clientIds: readonly string[];
  /** Puts the tenant into each token. When it fails, nobody can sign in. */
  readonly claimTenant: LambdaFunction;
}

/** Returns the user pool of the stack, or the existing one that the settings name. */
export const accounts = (scope: Construct, context: ServiceFunctionContext): Accounts =>
  context.settings.userPoolId
    ? adoptedAccounts(new Construct(scope, 'Accounts'), context)
    : new OwnAccounts(scope, 'Accounts', context);

/** Creates the function that puts the tenant into each token. */
const createClaimTenant = (scope: Construct, context: ServiceFunctionContext): LambdaFunction =>
  new ServiceFunction(scope, 'claimTenant', {
    ...context,
    file: tenantClaimFile,
    description: 'Adds the tenant to access tokens, and limits their scopes to the roles of the user.',
    ...(context.settings.requireGroup && { environment: { REQUIRE_GROUP: 'true' } }),
    timeoutMs: requestTimeoutMs / 2,
    reservedConcurrency: context.settings.signInConcurrency,
  }).function;

/**
 * Returns a user pool that exists already. CloudFormation cannot change it, so nothing is created in it: `docs/deployment.md` says what to do by hand.
 */
function adoptedAccounts(scope: Construct, context: ServiceFunctionContext): Accounts {
  const { userPoolId, audience } = context.settings;
  const claimTenant = createClaimTenant(scope, context);
  const pool = UserPool.fromUserPoolId(scope, 'Pool', userPoolId);
  claimTenant.addPermission('Cognito', {
    principal: new ServicePrincipal('cognito-idp.amazonaws.com'),
    sourceArn: pool.userPoolArn,
  });
  const stack = Stack.of(scope);
  new CfnOutput(stack, 'UserPoolId', { value: userPoolId });
  new CfnOutput(stack, 'ClaimTenantArn', { value: claimTenant.functionArn });
  return { userPoolId, clientIds: audience, claimTenant };
}

/**
 * The Cognito user pool and its clients. Users are data: the pool is retained, except in a disposable stage. So are the clients, the scopes and
 * the domain, without which no app could sign users in again.
 */
class OwnAccounts extends Construct implements Accounts {
  readonly pool: UserPool;
  readonly clientIds: readonly string[];
  readonly claimTenant: LambdaFunction;

  constructor(scope: Construct, id: string, context: ServiceFunctionContext) {
    super(scope, id);
    const { settings } = context;
    this.claimTenant = createClaimTenant(this, context);
    this.pool = this.#pool(settings);
    this.#groups();
    this.pool.addDomain('SignIn', { cognitoDomain: { domainPrefix: signInDomain(settings) } });
    const scopes = apiScopes.map(
      (scopeName) => new ResourceServerScope({ scopeName, scopeDescription: describe(scopeName) }),
    );
    const server = this.pool.addResourceServer('ResourceServer', { identifier: resourceServer, scopes });
    const allScopes = scopes.map((one) => OAuthScope.resourceServer(server, one));
    const callbackUrls = callbackUrlsOf(settings);
    const appClient = callbackUrls.length > 0 && this.#appClient(callbackUrls, allScopes);
    const machineClient = settings.machineClient && this.#machineClient(allScopes);
    this.clientIds = [appClient, machineClient]
      .flatMap((client) => client || [])
      .map(({ userPoolClientId }) => userPoolClientId);
    this.#keep(settings);
    const output = (name: string, value: string) => new CfnOutput(Stack.of(this), name, { value });
    output('UserPoolId', this.userPoolId);
    output('SignInUrl', signInUrl(settings));
    if (appClient) output('AppClientId', appClient.userPoolClientId);
    if (appClient) output('CallbackUrls', callbackUrls.join(','));
    if (machineClient) output('MachineClientId', machineClient.userPoolClientId);
  }

  get userPoolId(): string {
    return this.pool.userPoolId;
  }

  /** Keeps what Cognito has, when the stack is deleted or no longer has it. Apps know the ids of the clients. */
  #keep(settings: Settings): void {
    for (const child of this.pool.node.findAll()) {
      if (CfnResource.isCfnResource(child) && child.cfnResourceType.startsWith('AWS::Cognito::'))
        child.applyRemovalPolicy(
          isDisposable(settings) ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        );
    }
    // Its deletion protection would fail the rollback of the first deployment.
    if (!isDisposable(settings)) this.pool.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }

  /** Creates a group for each role. The members are data, as the users are. */
  #groups(): void {
    for (const [groupName, verbs] of Object.entries(roles)) {
      const description = `Limits the scopes of a user's tokens to ${verbs.join(' and ')}.`;
      this.pool.addGroup(groupName, { groupName, description });
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
      ...(settings.emailFrom && {
        email: UserPoolEmail.withSES({
          fromEmail: settings.emailFrom,
          sesVerifiedDomain: domainOf(settings.emailFrom),
          sesRegion: Aws.REGION,
        }),
      }),
      // The first plan with custom claims in access tokens.
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: !isDisposable(settings),
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
  #appClient(callbackUrls: readonly string[], allScopes: OAuthScope[]): UserPoolClient {
    return this.#client('AppClient', {
      generateSecret: false,
      // With rotation, Cognito refuses the flow of refresh tokens; the page has a grant of its own for them. This one needs credentials of AWS.
      authFlows: { adminUserPassword: true },
      refreshTokenRotationGracePeriod: Duration.seconds(refreshGraceSeconds),
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
    return this.#client('MachineClient', {
      generateSecret: true,
      oAuth: { flows: { clientCredentials: true }, scopes: allScopes },
      accessTokenValidity: Duration.hours(24),
    });
  }

  #client(id: string, options: UserPoolClientOptions): UserPoolClient {
    const client = this.pool.addClient(id, {
      preventUserExistenceErrors: true,
      // By default, users can write all attributes, including the tenant.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),
      ...options,
    });
    // Without a list, Cognito allows SRP, custom authentication and refresh tokens. The construct leaves an empty list out.
    if (!options.authFlows)
      (client.node.defaultChild as CfnUserPoolClient).explicitAuthFlows = ['ALLOW_REFRESH_TOKEN_AUTH'];
    return client;
  }
}

const describe = (scope: string): string => {
  if (scope === allProjectsScope) return 'See and change all projects.';
  const [plural = '', verb = ''] = scope.split(':');
  return `${verb === 'read' ? 'Read' : 'Change'} ${plural}.`;
};
