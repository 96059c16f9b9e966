import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  ClientAttributes,
  FeaturePlan,
  LambdaVersion,
  OAuthScope,
  ResourceServerScope,
  StringAttribute,
  UserPool,
  type UserPoolClient,
  UserPoolOperation,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import { requestTimeoutMs, tenantClaimFile } from '../hosting/functions.ts';
import { resourceServer } from '../hosting/scopes.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';

/** The scopes of all operations. */
const scopes = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))].sort();

/** The Cognito user pool, with a client for apps and one for programs. Users are data: the pool is retained. */
export class Accounts extends Construct {
  readonly pool: UserPool;
  /** Client for apps, without a secret. Users sign in on the page of the pool. */
  readonly appClient: UserPoolClient;
  /** Client for programs without a user. It is a tenant of its own. */
  readonly machineClient: UserPoolClient;
  /** Address of the token endpoint's host. */
  readonly signInUrl: string;

  constructor(scope: Construct, id: string, context: ServiceFunctionContext) {
    super(scope, id);
    const { settings } = context;
    this.pool = this.#pool(context);
    const domain = this.pool.addDomain('SignIn', {
      cognitoDomain: { domainPrefix: `project-management-${settings.stage}-${Aws.ACCOUNT_ID}` },
    });
    this.signInUrl = domain.baseUrl();
    const server = this.pool.addResourceServer('ResourceServer', {
      identifier: resourceServer,
      scopes: scopes.map(
        (scopeName) => new ResourceServerScope({ scopeName, scopeDescription: describe(scopeName) }),
      ),
    });
    const allScopes = scopes.map((scopeName) =>
      OAuthScope.resourceServer(server, new ResourceServerScope({ scopeName, scopeDescription: scopeName })),
    );
    this.appClient = this.pool.addClient('AppClient', {
      generateSecret: false,
      authFlows: {},
      preventUserExistenceErrors: true,
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, ...allScopes],
        callbackUrls: [...settings.callbackUrls],
        logoutUrls: [...settings.callbackUrls],
      },
      // By default, users can write all attributes, including the tenant.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),
    });
    this.machineClient = this.pool.addClient('MachineClient', {
      generateSecret: true,
      authFlows: {},
      oAuth: { flows: { clientCredentials: true }, scopes: allScopes },
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),
    });
  }

  #pool(context: ServiceFunctionContext): UserPool {
    const pool = new UserPool(this, 'Pool', {
      userPoolName: `project-management-${context.settings.stage}`,
      // Everyone who signs up would be a new tenant.
      selfSignUpEnabled: false,
      signInAliases: { email: true },
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
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const claimTenant = new ServiceFunction(this, 'claimTenant', {
      ...context,
      file: tenantClaimFile,
      description: 'Adds the tenant to access tokens.',
      timeoutMs: requestTimeoutMs / 2,
    });
    pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, claimTenant.function, LambdaVersion.V3_0);
    Validations.of(pool).acknowledge(
      { id: 'AwsSolutions-COG2', reason: 'The owner of the users decides on multi-factor authentication.' },
      {
        id: 'AwsSolutions-COG8',
        reason: 'Threat protection needs a plan with a price per user.',
      },
    );
    return pool;
  }
}

const describe = (scope: string): string => {
  const [plural = '', verb = ''] = scope.split(':');
  return `${verb === 'read' ? 'Read' : 'Change'} ${plural}.`;
};
