import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { startServer } from './http-server.ts';

/**
 * An address that takes the place of AWS: DynamoDB is the embedded engine, and what the engine does not have is answered in the protocol of the
 * service. CloudFormation and Route 53 have XML, and the others have JSON.
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

  const ofCloudFormation = (values: URLSearchParams): [number, string] => {
    const described = values.get('StackName') ?? '';
    const outputs = state.outputs.get(described);
    if (outputs && values.get('Action') === 'GetTemplateSummary')
      return [200, templateSummary(state.metadata)];
    if (outputs && values.get('Action') === 'DescribeStackEvents')
      return [200, stackEvents(described, state.operatedAt.get(described) ?? 0)];
    if (outputs) return [200, describedStack(described, state.stackStatus, outputs)];
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
    const operation = target ?? new URLSearchParams(body).get('Action') ?? 'GetAccountSettings';
    const isLambda = url.endsWith('/account-settings');
    if (state.denied.has(operation)) {
      const message = `not authorized to perform ${operation}`;
      const denial = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message });
      return target || isLambda ? [403, denial, json] : [403, xmlError('AccessDenied'), 'text/xml'];
    }
    if (url.includes('/hostedzone/')) return [200, describedZone(state.zone), 'text/xml'];
    if (target) return [...(await ofTargets(operation, body, headers)), json];
    if (isLambda)
      return [
        200,
        JSON.stringify({ AccountLimit: { ConcurrentExecutions: state.concurrency } }),
        'application/json',
      ];
    return [...ofCloudFormation(new URLSearchParams(body)), 'text/xml'];
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
