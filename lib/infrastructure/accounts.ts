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

/** All scopes that operations ask for. */
const scopes = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))].sort();

/** Who may use the API: users, and the clients that act for them or for themselves. Users are data: they are kept. */
export class Accounts extends Construct {
  readonly pool: UserPool;
  /** For apps: users sign in on the pool's own page. It has no secret. */
  readonly appClient: UserPoolClient;
  /** For programs without a user: a tenant of its own. */
  readonly machineClient: UserPoolClient;
  /** Where tokens are had. */
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
      // Without this a user could change the tenant.
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
      // Whoever may register would be a tenant at once; let in whom you know.
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
      // Access tokens can be given a claim of ours from this plan on.
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const claimTenant = new ServiceFunction(this, 'claimTenant', {
      ...context,
      file: tenantClaimFile,
      description: 'Puts the tenant into access tokens.',
      timeout: requestTimeoutMs / 2,
    });
    pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, claimTenant.function, LambdaVersion.V3_0);
    Validations.of(pool).acknowledge(
      { id: 'AwsSolutions-COG2', reason: 'A second factor is for whoever owns the users to ask for.' },
      {
        id: 'AwsSolutions-COG8',
        reason: 'The next plan costs money for each user; who needs it chooses it.',
      },
    );
    return pool;
  }
}

const describe = (scope: string): string => {
  const [plural = '', verb = ''] = scope.split(':');
  return `${verb === 'read' ? 'Read' : 'Change'} ${plural}.`;
};
