/** Checks, before a deployment, what CloudFormation would find too late or not at all. */
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { isDisposable, ownTableName, stackName, tableNameOf } from '../infrastructure/names.ts';
import type { Settings } from '../infrastructure/settings.ts';
import { type TableInUse, tableDifferences } from './compare-table.ts';
import { concurrencyRefusals, reservedConcurrency } from './concurrency.ts';

/** Settings of a client. A region without an endpoint must not let the command wait for minutes. */
const clientSettings = (region: string) => ({
  region,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
});

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

/** Returns the stack that has a table; undefined when none has it. */
async function findStack(client: CloudFormationClient, tableName: string): Promise<string | undefined> {
  const found = await ifKnown(
    client.send(new DescribeStackResourcesCommand({ PhysicalResourceId: tableName })),
  );
  return found?.StackResources?.find(({ PhysicalResourceId }) => PhysicalResourceId === tableName)?.StackName;
}

/** Returns why a deployment cannot switch to another table: the functions of before would have no permission until they are updated. */
async function switchRefusals(region: string, settings: Settings): Promise<string[]> {
  const client = new CloudFormationClient(clientSettings(region));
  const StackName = stackName(settings, 'data');
  const found = await ifKnown(client.send(new DescribeStacksCommand({ StackName }))).finally(() =>
    client.destroy(),
  );
  const used = found?.Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
  const next = tableNameOf(settings);
  if (used === undefined || used === next || used === settings.otherTableName) return [];
  return [
    `The deployed functions use the table "${used}", and this deployment switches to "${next}". Set "otherTableName" to "${used}": roles allow both tables then (docs/data.md#restore-data).`,
  ];
}

const importHelp = (stage: string): string =>
  `Import it with "npm run cdk -- import -c stage=${stage}" (docs/data.md#import-the-restored-table)`;

/** Returns why a table that exists and is not in the data stack cannot be deployed as a part of it. */
async function stackRefusals(region: string, settings: Settings): Promise<string[]> {
  const name = tableNameOf(settings);
  const stack = stackName(settings, 'data');
  const client = new CloudFormationClient(clientSettings(region));
  const found = await findStack(client, name).finally(() => client.destroy());
  if (found === stack) return [];
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
  const found = await describeTable(client, name).finally(() => client.destroy());
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

async function lambdaRefusals(region: string, settings: Settings): Promise<string[]> {
  const reserved = reservedConcurrency(settings);
  if (reserved === 0) return [];
  const client = new LambdaClient(clientSettings(region));
  const { AccountLimit } = await client
    .send(new GetAccountSettingsCommand({}))
    .finally(() => client.destroy());
  return concurrencyRefusals(reserved, AccountLimit?.ConcurrentExecutions ?? 0);
}

const poolRefusals = (region: string, { userPoolId }: Settings): string[] =>
  userPoolId && !userPoolId.startsWith(`${region}_`)
    ? [`The user pool "${userPoolId}" is not in ${region}: its function and the API must be in its region.`]
    : [];

/**
 * Returns whether a check says nothing: the credentials do not permit it, or AWS was not reached. CDK may reach AWS all the same, through a proxy
 * that these clients do not use.
 */
const saysNothing = ({ name, $fault }: Error & { $fault?: string }): boolean =>
  $fault === undefined || /^AccessDenied|^UnauthorizedOperation/.test(name);

const noRefusals = Promise.resolve<string[]>([]);

interface Findings {
  /** What the deployment must not begin with, a sentence each. */
  readonly refusals: readonly string[];
  /** Checks that were not possible, a sentence each. */
  readonly skipped: readonly string[];
}

async function findingsOf(what: string, check: Promise<string[]>): Promise<Findings> {
  try {
    return { refusals: await check, skipped: [] };
  } catch (error) {
    const { message } = error as Error;
    return saysNothing(error as Error)
      ? { refusals: [], skipped: [`${what} was not checked: ${message}`] }
      : { refusals: [`${what} cannot be checked: ${message}`], skipped: [] };
  }
}

/**
 * Checks the table in use, a switch to another one, the reserved concurrency and the region of the user pool.
 * @param region the region of the deployment.
 * @param command `import` checks the table that becomes a part of the data stack.
 */
export async function checkDeployment(
  command: 'deploy' | 'import',
  settings: Settings,
  region: string,
): Promise<Findings> {
  const checks: readonly [what: string, refusals: Promise<string[]>][] = [
    ['The table in use', tableRefusals(region, settings, command === 'import')],
    ['The switch to another table', command === 'deploy' ? switchRefusals(region, settings) : noRefusals],
    ['The reserved concurrency', lambdaRefusals(region, settings)],
  ];
  const found = await Promise.all(checks.map(([what, refusals]) => findingsOf(what, refusals)));
  return {
    refusals: [...poolRefusals(region, settings), ...found.flatMap(({ refusals }) => refusals)],
    skipped: found.flatMap(({ skipped }) => skipped),
  };
}
