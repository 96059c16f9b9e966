/** Checks, before a deployment, what CloudFormation would find too late or not at all. */
import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateSummaryCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { maxRequestMs } from '../../functions/engine/table/deadline.ts';
import { methodsByPath } from '../../functions/routes.ts';
import {
  formatsKey,
  isDisposable,
  keysOutput,
  ownTableName,
  stackName,
  tableNameOf,
} from '../infrastructure/names.ts';
import { contradictions } from '../infrastructure/read-settings.ts';
import { alarmAddress, type Settings } from '../infrastructure/settings.ts';
import { type LowestFormats, lowestFormatsAttribute, lowestFormatsKey } from '../rewrite/lowest-formats.ts';
import { clientSettings } from './client-settings.ts';
import { formatRefusals, leftFormatRefusals, type ReleaseFormats } from './compare-formats.ts';
import { type TableInUse, tableDifferences } from './compare-table.ts';
import { concurrencyRefusals, concurrencyWarnings, reservedConcurrency } from './concurrency.ts';
import { accountRefusals, namedResources } from './named-resources.ts';

/** Returns what DynamoDB knows of a table; undefined when there is no table of this name. */
async function describeTable(client: DynamoDBClient, TableName: string): Promise<TableInUse | undefined> {
  try {
    const { Table: description } = await client.send(new DescribeTableCommand({ TableName }));
    if (!description) return undefined;
    const [{ TimeToLiveDescription }, { ContinuousBackupsDescription }] = await Promise.all([
      client.send(new DescribeTimeToLiveCommand({ TableName })),
      client.send(new DescribeContinuousBackupsCommand({ TableName })),
    ]);
    const { TimeToLiveStatus: status = '', AttributeName } = TimeToLiveDescription ?? {};
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    return {
      description,
      timeToLive: /^ENABL/.test(status) ? AttributeName : undefined,
      hasPointInTimeRecovery: recovery?.PointInTimeRecoveryStatus === 'ENABLED',
    };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Returns what a call responds with; undefined when CloudFormation does not know what the call names. */
async function ifKnown<Response>(call: Promise<Response>): Promise<Response | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as Error).name === 'ValidationError') return undefined;
    throw error;
  }
}

/** Returns why a deployment cannot switch to another table: the functions of before would have no permission until they are updated. */
function tableSwitchRefusals(used: string | undefined, settings: Settings): string[] {
  const next = tableNameOf(settings);
  if (used === undefined || used === next || used === settings.otherTableName) return [];
  return [
    `The deployed functions use the table "${used}", and this deployment switches to "${next}". Set "otherTableName" to "${used}": roles allow both tables then (docs/data.md#restore-data).`,
  ];
}

/**
 * Returns why a deployment cannot switch to another key: the data stack switches the table, before the API stack gives its functions the permission.
 * @param deployed the keys that the deployed roles allow, that of the table first.
 */
function keySwitchRefusals([used = '', ...others]: readonly string[], settings: Settings): string[] {
  const { encryptionKey: next, otherEncryptionKey: other } = settings;
  if (used === next) return [];
  const name = (key: string) => (key ? `the key "${key}"` : 'the key of AWS');
  const before = `The table uses ${name(used)}, and this deployment switches to ${name(next)}.`;
  if (next && !others.includes(next))
    return [`${before} First deploy with "otherEncryptionKey" "${next}", and "encryptionKey" as it was.`];
  return used && used !== other
    ? [`${before} Set "otherEncryptionKey" to "${used}" for this deployment.`]
    : [];
}

const failedStack = (StackName: string): string =>
  `The first deployment of the stack "${StackName}" has failed, and CDK cannot delete it. Delete it, and what it has left behind (docs/deployment.md#after-a-failed-first-deployment):
  aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${StackName}
  aws cloudformation delete-stack --stack-name ${StackName}
  aws cloudformation wait stack-delete-complete --stack-name ${StackName}`;

const failedRollback = (StackName: string): string =>
  `The last update of the stack "${StackName}" has failed, and its rollback too. Remove the cause, and continue the rollback, which includes nested stacks (docs/operations.md#continue-a-rollback-that-failed):
  aws cloudformation continue-update-rollback --stack-name ${StackName}
  aws cloudformation wait stack-rollback-complete --stack-name ${StackName}`;

/** Returns why a deployed stack cannot become the new one. The rollback of a nested stack fails with that of its parent, which continues both. */
async function updateRefusals(region: string, settings: Settings, part: 'data' | 'api'): Promise<string[]> {
  const client = new CloudFormationClient(clientSettings(region));
  const StackName = stackName(settings, part);
  const found = await ifKnown(client.send(new DescribeStacksCommand({ StackName })));
  const [stack] = found?.Stacks ?? [];
  if (stack?.StackStatus === 'UPDATE_ROLLBACK_FAILED') return [failedRollback(StackName)];
  if (!stack || part === 'api') return [];
  if (/^ROLLBACK_(?:COMPLETE|FAILED)$/.test(stack.StackStatus ?? ''))
    return isDisposable(settings) ? [] : [failedStack(StackName)];
  const output = (name: string) => stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  return [
    ...tableSwitchRefusals(output('TableName'), settings),
    ...keySwitchRefusals(output(keysOutput)?.split(',') ?? [], settings),
  ];
}

/**
 * Returns the lowest formats that are left in a table; none without a pass that began after the last deployment. Each deployment before can have been that of
 * a release that writes lower formats. The last calls of its functions end within half a minute.
 */
async function readLowestFormats(region: string, settings: Settings, TableName: string) {
  const client = new DynamoDBClient(clientSettings(region));
  const Key = { pk: { S: lowestFormatsKey.pk }, sk: { S: lowestFormatsKey.sk } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const { beganAt, lowest }: LowestFormats = JSON.parse(Item?.[lowestFormatsAttribute]?.S ?? '{"beganAt":0}');
  const stacks = new CloudFormationClient(clientSettings(region));
  for (const part of ['data', 'api'] as const) {
    const StackName = stackName(settings, part);
    const found = await ifKnown(stacks.send(new DescribeStackEventsCommand({ StackName })));
    const ended = found?.StackEvents?.[0]?.Timestamp?.getTime() ?? 0;
    if (beganAt < ended + maxRequestMs) return {};
  }
  return lowest;
}

/** Returns why this release cannot read what is left in the table in use. @param deployed the lowest formats that the deployed release reads there. */
async function leftRefusals(region: string, settings: Settings, deployed: Readonly<Record<string, number>>) {
  const name = tableNameOf(settings);
  const refusals = leftFormatRefusals(name, deployed);
  if (refusals.length === 0) return [];
  try {
    const left = leftFormatRefusals(name, await readLowestFormats(region, settings, name));
    return refusals.filter((refusal) => left.includes(refusal));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return [];
    return [`The lowest formats of the table "${name}" cannot be read: ${(error as Error).message}`];
  }
}

/** Returns why this release cannot follow the deployed one: the template of the data stack says which formats that one reads and writes. */
async function storedFormatRefusals(region: string, settings: Settings): Promise<string[]> {
  const client = new CloudFormationClient(clientSettings(region));
  const StackName = stackName(settings, 'data');
  const [summary, described] = await Promise.all([
    ifKnown(client.send(new GetTemplateSummaryCommand({ StackName }))),
    ifKnown(client.send(new DescribeStacksCommand({ StackName }))),
  ]);
  const { [formatsKey]: deployed = {} } = JSON.parse(summary?.Metadata ?? '{}') as Record<
    string,
    ReleaseFormats
  >;
  const used = described?.Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName');
  const read = Object.entries(deployed).map(([item, { reads }]) => [item, Math.min(...reads)]);
  const left = used?.OutputValue === tableNameOf(settings) ? Object.fromEntries(read) : {};
  return [...formatRefusals(deployed), ...(await leftRefusals(region, settings, left))];
}

const importHelp = (stage: string): string =>
  `Import it with "npx pm-api cdk import -c stage=${stage}" (docs/data.md#import-the-restored-table)`;

/** Returns why a table that exists and is not in the data stack cannot be deployed as a part of it. */
async function stackRefusals(region: string, settings: Settings): Promise<string[]> {
  const name = tableNameOf(settings);
  const stack = stackName(settings, 'data');
  const client = new CloudFormationClient(clientSettings(region));
  const found = await ifKnown(client.send(new DescribeStackResourcesCommand({ PhysicalResourceId: name })));
  const resources = found?.StackResources ?? [];
  if (resources.find(({ PhysicalResourceId }) => PhysicalResourceId === name)?.StackName === stack) return [];
  const other = name === ownTableName(settings) ? 'or delete it' : 'or set "tableStreamArn"';
  return [
    `The table "${name}" exists, but the stack "${stack}" does not have it. ${importHelp(settings.stage)}, ${other}.`,
  ];
}

/** Returns how the table in use differs from the template. @param isImport whether the table is about to become a part of the stack. */
async function tableRefusals(region: string, settings: Settings, isImport: boolean): Promise<string[]> {
  const name = tableNameOf(settings);
  const isOwn = name === ownTableName(settings);
  const client = new DynamoDBClient(clientSettings(region));
  const found = await describeTable(client, name);
  if (!found) return isOwn && !isImport ? [] : [`There is no table "${name}" in ${region}.`];
  const expected = {
    name,
    isOwn: isOwn && !isImport,
    isProtected: !isDisposable(settings),
    streamArn: settings.tableStreamArn,
  };
  const isInStack = isImport || settings.tableStreamArn !== '';
  return [...tableDifferences(found, expected), ...(isInStack ? [] : await stackRefusals(region, settings))];
}

async function concurrencyFindings(region: string, settings: Settings): Promise<Findings> {
  const client = new LambdaClient(clientSettings(region));
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  return {
    refusals: concurrencyRefusals(reservedConcurrency(settings), limit),
    warnings: concurrencyWarnings(limit),
  };
}

/** Returns what is to be done for mails about alarms when the deployment creates their topic: that of a release before is in the other stack. */
async function topicFindings(region: string, settings: Settings): Promise<Findings> {
  const address = settings.alarms && !settings.alarmTopicArn && alarmAddress(settings);
  if (!address) return { refusals: [], warnings: [] };
  const client = new CloudFormationClient(clientSettings(region));
  const StackName = stackName(settings, 'data');
  const found = await ifKnown(client.send(new DescribeStacksCommand({ StackName })));
  const hasTopic = found?.Stacks?.[0]?.Outputs?.some(({ OutputKey }) => OutputKey === 'AlarmTopicArn');
  const warning = `The deployment creates a topic for alarms. AWS asks ${address} to confirm it: no alarm is mailed before.`;
  return { refusals: [], warnings: hasTopic ? [] : [warning] };
}

/** Returns what a person must check: libraries for these questions are not part of this project. */
const settingsToCheck = ({ metricTags, canaryClient }: Settings): string[] => [
  ...(metricTags
    ? [
        'The tags of metrics were not checked: the alarm on throttled functions sees nothing unless "aws observabilityadmin get-telemetry-enrichment-status" prints "Running".',
      ]
    : []),
  ...(canaryClient
    ? [
        'The secret of "canaryClient" was not checked: the API stack fails unless it has "tokenUrl", "clientId" and "clientSecret".',
      ]
    : []),
];

/** Routes of an API, by default. @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const defaultRoutes = 300;

/** Returns what nobody but the owner of the account can check: whether the quota allows the routes. */
export const routesToCheck = (routes: number): string[] =>
  routes <= defaultRoutes
    ? []
    : [
        `The quota "Routes per API" of API Gateway was not checked: the API has ${routes} routes, and the default quota is ${defaultRoutes}. If it was not raised, raise it (docs/extending.md#how-far-it-goes): aws service-quotas request-service-quota-increase --service-code apigateway --quota-code L-65B5C802 --desired-value ${routes + 100}`,
      ];

/**
 * Returns whether a check says nothing: the credentials do not permit it, or AWS was not reached. CDK may reach AWS all the same, through a proxy
 * that these clients do not use.
 */
const saysNothing = ({ name, $fault }: Error & { $fault?: string }): boolean =>
  $fault === undefined || /^AccessDenied|^UnauthorizedOperation/.test(name);

/** What checks find, a sentence each. */
interface Findings {
  /** What the deployment must not begin with. */
  readonly refusals: readonly string[];
  /** What the deployment may begin with, and checks that were not possible. */
  readonly warnings: readonly string[];
}

async function findingsOf(what: string, check: Promise<string[] | Findings>): Promise<Findings> {
  try {
    const found = await check;
    return 'refusals' in found ? found : { refusals: found, warnings: [] };
  } catch (error) {
    const { message } = error as Error;
    return saysNothing(error as Error)
      ? { refusals: [], warnings: [`${what} was not checked: ${message}`] }
      : { refusals: [`${what} cannot be checked: ${message}`], warnings: [] };
  }
}

/** The routes of the API, and the one of requests that match none. */
const numberOfRoutes = Object.values(methodsByPath).flat().length + 1;

/**
 * Checks what exists already: the account, the table in use, the data stack, what the settings name, and the limits of the account.
 * @param region the region of the deployment.
 * @param command `import` checks the table that becomes a part of the data stack.
 */
export async function checkDeployment(
  command: 'deploy' | 'import',
  settings: Settings,
  region: string,
): Promise<Findings> {
  const checks: (readonly [what: string, check: Promise<string[] | Findings>])[] = [
    ['The account', accountRefusals(region, settings)],
    ['The table in use', tableRefusals(region, settings, command === 'import')],
    ['The concurrency', concurrencyFindings(region, settings)],
    ['The topic of alarms', topicFindings(region, settings)],
    ...Object.entries(namedResources).map(([what, check]) => [what, check(region, settings)] as const),
    ['The stored formats', storedFormatRefusals(region, settings)],
  ];
  if (command === 'deploy')
    checks.push(
      ['The data stack', updateRefusals(region, settings, 'data')],
      ['The API stack', updateRefusals(region, settings, 'api')],
    );
  const found = await Promise.all(checks.map((check) => findingsOf(...check)));
  const [ofAccount] = found;
  // In another account, all other findings would mislead.
  if (ofAccount && ofAccount.refusals.length > 0) return ofAccount;
  return {
    refusals: [...contradictions({ ...settings, region }), ...found.flatMap(({ refusals }) => refusals)],
    warnings: [
      ...found.flatMap(({ warnings }) => warnings),
      ...settingsToCheck(settings),
      ...routesToCheck(numberOfRoutes),
    ],
  };
}
