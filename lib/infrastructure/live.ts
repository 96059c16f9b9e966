/** Where changes are announced: an API of AppSync Events. Tokens subscribe, and the function that reads the records of the logs publishes. */
import { NestedStack, Token } from 'aws-cdk-lib';
import {
  CfnApi,
  CfnChannelNamespace,
  CfnDataSource,
  CfnDomainName,
  CfnDomainNameApiAssociation,
} from 'aws-cdk-lib/aws-appsync';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { channelNamespace } from '../../functions/http/live-channels.ts';
import { requestTimeoutMs, subscriptionFile } from '../hosting/functions.ts';
import type { AcceptedTokens } from './authorization.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';
import type { Settings } from './settings.ts';

/** Connecting and subscribing take a token, and publishing takes a role: none has both. */
const [token, role] = [{ authType: 'OPENID_CONNECT' }, { authType: 'AWS_IAM' }];

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Returns the regular expression for the clients of tokens. AWS does not document which claim it is compared with, so the function checks them as well. */
const clientPattern = (audience: readonly string[]): string =>
  // The id of a client of the stack is known when it is deployed. It has letters and digits alone.
  `^(?:${audience.map((one) => (Token.isUnresolved(one) ? one : escapePattern(one))).join('|')})$`;

/**
 * The nested stack of the API. AppSync verifies tokens with the keys of the issuer, also for a pool of Cognito: AWS does not document whether its provider
 * for pools accepts the tokens of programs.
 */
export class Live extends NestedStack {
  readonly apiId: string;
  /** The address to which changes are published. */
  readonly endpoint: string;
  /** Allows to publish in the only namespace. */
  readonly publish: PolicyStatement;
  /** The environment of the function that tells clients where to connect. */
  readonly clientEnvironment: Readonly<Record<string, string>>;
  /** The name for which the record of the owner's domain is an alias. `undefined` without a domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, context: ServiceFunctionContext, tokens: AcceptedTokens) {
    super(scope, 'Live', { description: 'Announces changes to connected clients.' });
    const { stage, liveDomainName, liveSpread } = context.settings;
    const { issuer, audience } = tokens;
    const api = new CfnApi(this, 'LiveApi', {
      name: `project-management-${stage}`,
      eventConfig: {
        authProviders: [
          { ...token, openIdConnectConfig: { issuer, clientId: clientPattern(audience) } },
          role,
        ],
        connectionAuthModes: [token],
        defaultSubscribeAuthModes: [token],
        defaultPublishAuthModes: [role],
      },
    });
    this.apiId = api.attrApiId;
    this.endpoint = `https://${api.attrDnsHttp}/event`;
    this.publish = new PolicyStatement({
      actions: ['appsync:EventPublish'],
      resources: [`${api.attrApiArn}/channelNamespace/${channelNamespace}`],
    });
    this.clientEnvironment = {
      LIVE_URL: `wss://${liveDomainName || api.attrDnsRealtime}/event/realtime`,
      LIVE_HOST: liveDomainName || api.attrDnsHttp,
      LIVE_SPREAD_MS: String(liveSpread),
    };
    const { function: authorize } = new ServiceFunction(this, 'authorizeSubscription', {
      ...context,
      file: subscriptionFile,
      description: 'Decides who may subscribe to a channel.',
      environment: { ...tokens.environment, AUDIENCE: audience.join(',') },
      timeoutMs: requestTimeoutMs / 2,
    });
    this.#namespace(api, authorize);
    this.domainTarget = liveDomainName ? this.#domain(api, context.settings) : undefined;
  }

  /** Creates the namespace. The function decides on each subscription before it begins. */
  #namespace({ attrApiId: apiId }: CfnApi, { functionArn }: IFunction): void {
    const allowed = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] });
    // CDK's own data source would add a separate policy resource, which also allows all versions of the function.
    const { roleArn: serviceRoleArn } = new Role(this, 'LiveRole', {
      description: 'Calls the function that decides on subscriptions.',
      assumedBy: new ServicePrincipal('appsync.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [allowed] }) },
    });
    const { attrName: dataSourceName } = new CfnDataSource(this, 'LiveDataSource', {
      apiId,
      name: 'authorizeSubscription',
      type: 'AWS_LAMBDA',
      lambdaConfig: { lambdaFunctionArn: functionArn },
      serviceRoleArn,
    });
    // With the type EVENT, AppSync would not wait for the decision, and would allow everything.
    const integration = { dataSourceName, lambdaConfig: { invokeType: 'REQUEST_RESPONSE' } };
    new CfnChannelNamespace(this, 'LiveNamespace', {
      apiId,
      name: channelNamespace,
      handlerConfigs: { onSubscribe: { behavior: 'DIRECT', integration } },
    });
  }

  /** Creates the domain. @returns the name for which its record is an alias. */
  #domain({ attrApiId: apiId }: CfnApi, settings: Settings): string {
    const { liveDomainName: domainName, liveCertificateArn: certificateArn } = settings;
    const domain = new CfnDomainName(this, 'LiveDomain', { domainName, certificateArn });
    new CfnDomainNameApiAssociation(this, 'LiveMapping', { apiId, domainName: domain.attrDomainName });
    return domain.attrAppSyncDomainName;
  }
}
