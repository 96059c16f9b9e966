import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { startServer } from './http-server.ts';

/**
 * An address that takes the place of AWS: DynamoDB is the embedded engine, and what the engine does not have is answered in the protocol of the
 * service. CloudFormation, IAM, STS and Route 53 have XML, and the others have JSON.
 */
export interface AwsStandIn {
  readonly endpoint: string;
  /** Whether tables have point-in-time recovery, which the engine does not know. */
  hasRecovery: boolean;
  /** The stack of each table, by name. */
  readonly stacks: Map<string, string>;
  /** The outputs of each stack, by the name of the stack. */
  readonly outputs: Map<string, Readonly<Record<string, string>>>;
  /** The metadata of the templates of all stacks. */
  metadata: object;
  /** The status of all stacks. */
  stackStatus: string;
  /** When the last operation of stacks ended, in milliseconds since 1970, by the name of the stack. */
  readonly operatedAt: Map<string, number>;
  /** What ACM, Route 53 and KMS describe. */
  certificate: object;
  zone: { readonly name: string; readonly isPrivate: boolean };
  key: object;
  /** The account of the credentials. */
  account: string;
  /** The policies of IAM by ARN, and the vaults of AWS Backup by name. */
  policies: readonly string[];
  /** Whether the identities of SES are verified, by domain. */
  identities: Readonly<Record<string, boolean>>;
  vaults: readonly string[];
  /** Whether AWS Backup copies backups of DynamoDB, and whether it does to other accounts of the organization. */
  copies: { readonly toOtherRegions: boolean; readonly toOtherAccounts: boolean };
  /** Concurrent executions of the account. */
  concurrency: number;
  /** Operations that the credentials do not permit. */
  readonly denied: Set<string>;
  stop(): Promise<void>;
}

const json = 'application/x-amz-json-1.0';
const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';

const stackResources = (table: string, stack: string): string =>
  `<DescribeStackResourcesResponse xmlns="${namespace}"><DescribeStackResourcesResult><StackResources><member>
  <StackName>${stack}</StackName><LogicalResourceId>Table</LogicalResourceId><PhysicalResourceId>${table}</PhysicalResourceId>
  <ResourceType>AWS::DynamoDB::GlobalTable</ResourceType><Timestamp>2026-01-01T00:00:00Z</Timestamp><ResourceStatus>CREATE_COMPLETE</ResourceStatus>
  </member></StackResources></DescribeStackResourcesResult></DescribeStackResourcesResponse>`;

const describedStack = (stack: string, status: string, outputs: Readonly<Record<string, string>>): string =>
  `<DescribeStacksResponse xmlns="${namespace}"><DescribeStacksResult><Stacks><member><StackName>${stack}</StackName>
  <CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus><Outputs>
  ${Object.entries(outputs)
    .map(
      ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    )
    .join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;

const templateSummary = (metadata: object): string =>
  `<GetTemplateSummaryResponse xmlns="${namespace}"><GetTemplateSummaryResult><Metadata>${JSON.stringify(metadata)}</Metadata>
  </GetTemplateSummaryResult></GetTemplateSummaryResponse>`;

const stackEvents = (stack: string, time: number): string =>
  `<DescribeStackEventsResponse xmlns="${namespace}"><DescribeStackEventsResult><StackEvents><member><StackId>1</StackId><EventId>1</EventId>
  <StackName>${stack}</StackName><Timestamp>${new Date(time).toISOString()}</Timestamp></member></StackEvents></DescribeStackEventsResult>
  </DescribeStackEventsResponse>`;

const describedZone = ({ name, isPrivate }: AwsStandIn['zone']): string =>
  `<GetHostedZoneResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZone><Id>/hostedzone/Z1</Id><Name>${name}.</Name>
  <CallerReference>one</CallerReference><Config><PrivateZone>${isPrivate}</PrivateZone></Config></HostedZone></GetHostedZoneResponse>`;

const notFound = { __type: 'NotFoundException', message: 'NotFound' };

const ofDescription = (description: object): [number, string, string] => [
  description === notFound ? 404 : 200,
  JSON.stringify(description),
  'application/json',
];

const xmlError = (code: string): string =>
  `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${code}</Message></Error></ErrorResponse>`;

/** Sends a request without `fetch`, which refuses some of the ports that the engine can have. */
const forward = (engine: string, body: string, headers: Record<string, string>): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(engine, { method: 'POST', headers }, (response) => {
      text(response).then((received) => resolve([response.statusCode ?? 500, received]), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

export async function startAwsStandIn(engine: string): Promise<AwsStandIn> {
  const state = {
    hasRecovery: true,
    stacks: new Map<string, string>(),
    outputs: new Map<string, Readonly<Record<string, string>>>(),
    metadata: {},
    stackStatus: 'UPDATE_COMPLETE',
    operatedAt: new Map<string, number>(),
    certificate: {},
    zone: { name: '', isPrivate: false },
    key: {},
    account: '123456789012',
    policies: [] as readonly string[],
    identities: {} as Readonly<Record<string, boolean>>,
    vaults: [] as readonly string[],
    copies: { toOtherRegions: true, toOtherAccounts: true },
    concurrency: 1_000,
    denied: new Set<string>(),
  };

  const ofTargets = async (
    operation: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<[number, string]> => {
    const PointInTimeRecoveryDescription = {
      PointInTimeRecoveryStatus: state.hasRecovery ? 'ENABLED' : 'DISABLED',
    };
    const described: Readonly<Record<string, object>> = {
      DescribeCertificate: { Certificate: state.certificate },
      DescribeKey: { KeyMetadata: state.key },
      DescribeContinuousBackups: {
        ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription },
      },
    };
    if (described[operation]) return [200, JSON.stringify(described[operation])];
    return forward(engine, body, headers);
  };

  const policy = (arn: string): [number, string] =>
    state.policies.includes(arn)
      ? [
          200,
          `<GetPolicyResponse><GetPolicyResult><Policy><Arn>${arn}</Arn></Policy></GetPolicyResult></GetPolicyResponse>`,
        ]
      : [404, xmlError('NoSuchEntity')];

  /** Responses to requests whose operation follows from the address, by the operation. */
  const ofAddresses: Readonly<Record<string, readonly [address: RegExp, response: (url: string) => object]>> =
    {
      GetAccountSettings: [
        /^\/2016-08-19\/account-settings$/,
        () => ({ AccountLimit: { ConcurrentExecutions: state.concurrency } }),
      ],
      DescribeRegionSettings: [
        /^\/account-settings$/,
        () => ({ ResourceTypeManagementPreference: { DynamoDB: state.copies.toOtherRegions } }),
      ],
      DescribeGlobalSettings: [
        /^\/global-settings$/,
        () => ({ GlobalSettings: { isCrossAccountBackupEnabled: String(state.copies.toOtherAccounts) } }),
      ],
      GetEmailIdentity: [
        /^\/v2\/email\/identities\//,
        (url) => {
          const VerifiedForSendingStatus = state.identities[url.split('/').at(-1) ?? ''];
          return VerifiedForSendingStatus === undefined ? notFound : { VerifiedForSendingStatus };
        },
      ],
      ListBackupVaults: [
        /^\/backup-vaults/,
        () => ({ BackupVaultList: state.vaults.map((BackupVaultName) => ({ BackupVaultName })) }),
      ],
    };

  const ofStack = (
    action: string,
    described: string,
    outputs: Readonly<Record<string, string>>,
  ): [number, string] => {
    if (action === 'GetTemplateSummary') return [200, templateSummary(state.metadata)];
    if (action === 'DescribeStackEvents')
      return [200, stackEvents(described, state.operatedAt.get(described) ?? 0)];
    return [200, describedStack(described, state.stackStatus, outputs)];
  };

  const ofActions = (values: URLSearchParams): [number, string] => {
    if (values.get('Action') === 'GetCallerIdentity')
      return [
        200,
        `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${state.account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
      ];
    if (values.get('Action') === 'GetPolicy') return policy(values.get('PolicyArn') ?? '');
    const described = values.get('StackName') ?? '';
    const outputs = state.outputs.get(described);
    if (outputs) return ofStack(String(values.get('Action')), described, outputs);
    const table = values.get('PhysicalResourceId') ?? '';
    const stack = state.stacks.get(table);
    return stack ? [200, stackResources(table, stack)] : [400, xmlError('ValidationError')];
  };

  const respond = async (
    url: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<[number, string, string]> => {
    const target = headers['x-amz-target']?.split('.')[1];
    const values = new URLSearchParams(body);
    const [ofAddress, [, described] = []] =
      Object.entries(ofAddresses).find(([, [address]]) => address.test(url)) ?? [];
    const operation = target ?? values.get('Action') ?? ofAddress ?? '';
    if (state.denied.has(operation)) {
      const message = `not authorized to perform ${operation}`;
      const denial = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message });
      return target || described ? [403, denial, json] : [403, xmlError('AccessDenied'), 'text/xml'];
    }
    if (url.includes('/hostedzone/')) return [200, describedZone(state.zone), 'text/xml'];
    if (target) return [...(await ofTargets(operation, body, headers)), json];
    if (described) return ofDescription(described(url));
    return [...ofActions(values), 'text/xml'];
  };

  const passed = ['x-amz-target', 'authorization', 'content-type', 'x-amz-date'];
  const { url: endpoint, stop } = await startServer((request, outgoing) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => passed.includes(name)),
    ) as Record<string, string>;
    void text(request)
      .then((body) => respond(request.url ?? '', body, headers))
      .then(([status, body, contentType]) =>
        outgoing.writeHead(status, { 'content-type': contentType }).end(body),
      )
      .catch(() => request.socket.destroy());
  });
  return Object.assign(state, { endpoint, stop });
}
