import { cdkArguments } from '#lib/cdk/options.ts';
import { tableLogicalId } from '#lib/infrastructure/names.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { isNight } from '../support/runs.ts';
import { combinations } from './combinations.ts';
import { ofType, permissionsOf, stacksOf, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

/**
 * Every change of a setting can be deployed: the data stack first, while the API stack is still the old one, and then the API stack.
 * CloudFormation refuses to remove or to change an export that another stack imports, so there are none. The API stack reads outputs of
 * the data stack.
 */

let base: Synthesized;

beforeAll(async () => {
  base = await synthesizeTemplates();
});

interface StackOutput {
  readonly StackName: string;
  readonly OutputName: string;
}

/** Returns the outputs of other stacks that a template reads. */
function outputsRead(value: unknown): StackOutput[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'Fn::GetStackOutput' ? [one as StackOutput] : outputsRead(one),
  );
}

test.each(Object.entries(combinations).filter((_, place) => isNight || place < 2))(
  'the API stack refers to no export, and to outputs that exist: %s',
  async (_name, settings) => {
    const { data, api } = (await synthesizeTemplates(settings)).templates;
    expect(Object.values(data.Outputs ?? {}).filter((output) => 'Export' in (output as object))).toEqual([]);
    expect(JSON.stringify(api)).not.toContain('Fn::ImportValue');
    const read = outputsRead(api).map(({ OutputName }) => OutputName);
    expect(read.filter((name) => !(name in (data.Outputs ?? {})))).toEqual([]);
  },
);

test('the API stack takes nothing from the data stack that a change inside a resource changes', () => {
  // A new stream has a new ARN, although its table has the same name. A template that does not change is not deployed.
  const values = outputsRead(base.api).map(({ OutputName }) =>
    JSON.stringify(base.templates.data.Outputs?.[OutputName]),
  );
  expect(values.length).toBeGreaterThan(0);
  // The last ones change with the API of announcements, as it is replaced.
  const known = /"Ref":"Accounts|"LiveNested\w+","Outputs\.\w+LiveApi/;
  expect(values.filter((value) => !known.test(value))).toEqual([]);
  expect(ofType(base.api, 'AWS::Lambda::EventSourceMapping')).toEqual([]);
});

test('what reads an output changes with the resource that the output is of: CloudFormation reads it again only then', async () => {
  // Another definition of the user pool. Some replace it, and its id is another one then.
  const { api } = await synthesizeTemplates({ multiFactor: 'required' });
  const readers = Object.entries(base.api).filter(([, one]) => outputsRead(one).length > 0);
  expect(readers.length).toBeGreaterThan(2);
  const unmarked = readers.filter(([, { Metadata }]) => !/^[0-9a-f]{16}$/.test(Metadata['references'] ?? ''));
  expect(unmarked).toEqual([]);
  const [[id, authorizer]] = ofType(base.api, 'AWS::ApiGatewayV2::Authorizer') as [[string, Resource]];
  expect(api[id]?.Properties).toEqual(authorizer.Properties);
  expect(api[id]?.Metadata['references']).not.toBe(authorizer.Metadata['references']);
  const [name = ''] = Object.keys(api).filter((one) => one.startsWith('Dashboard'));
  expect(api[name]?.Metadata).toEqual(base.api[name]?.Metadata);
});

test('outputs that the API stack of release 0.9 reads are still there: the rollback of its update reads them again', async () => {
  const { templates } = await synthesizeTemplates(combinations.production);
  const read = {
    RefonStreamFunction2A18CAB6F986E22B: { Ref: 'onStreamFunction2A18CAB6' },
    RefonLogRecordsFunctionA220E651C4820429: { Ref: 'onLogRecordsFunctionA220E651' },
    RefonScheduleFunction099EE80717364B1D: { Ref: 'onScheduleFunction099EE807' },
    RefAccountsclaimTenantFunctionAF06B022B409508D: { Ref: 'AccountsclaimTenantFunctionAF06B022' },
    FnGetAttDeadLettersBBF8BAABQueueNameEA293C96: { 'Fn::GetAtt': ['DeadLettersBBF8BAAB', 'QueueName'] },
    FnGetAttUnpublishedEvents9B6C9933QueueName5045EEDB: {
      'Fn::GetAtt': ['UnpublishedEvents9B6C9933', 'QueueName'],
    },
    FnGetAttBackups9A29A52DBackupVaultNameD56159C1: { 'Fn::GetAtt': ['Backups9A29A52D', 'BackupVaultName'] },
    RefAccountsPool5D1269284BCC0BF2: { Ref: 'AccountsPool5D126928' },
    RefAccountsPoolAppClient33AC05AEC518874F: { Ref: 'AccountsPoolAppClient33AC05AE' },
    RefAccountsPoolMachineClientF5A0E74641C34CD0: { Ref: 'AccountsPoolMachineClientF5A0E746' },
  };
  const outputs = templates.data.Outputs ?? {};
  for (const [name, Value] of Object.entries(read))
    expect(outputs[`PublishOutput${name}`]).toEqual({ Value });
});

/** Returns the names of the tables in the environments of functions. */
const tablesUsed = (resources: Resources): unknown[] => {
  const names = ofType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const { Variables = {} } = (Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
    return Variables['TABLE_NAME'] ?? [];
  });
  return [...new Set(names)];
};

test('with a restored table, all functions and roles use it', async () => {
  const { resources } = await stacksOf('restored table');
  expect(tablesUsed(resources)).toEqual(['restored']);
  const policies = JSON.stringify(ofType(resources, 'AWS::IAM::Role'));
  expect(policies).toContain(':table/restored');
  expect(policies).not.toContain(':table/project-management');
});

test('while the table switches, roles allow both tables, and functions use one', async () => {
  const strict = await stacksOf('strict');
  const functions = ofType(strict.resources, 'AWS::Lambda::Function').map(([id]) => id);
  const allowed = functions.flatMap((id) =>
    permissionsOf(strict, id.replace(/Function$/, '')).map((one) => one.allowed.join()),
  );
  const ofTable = allowed.filter((text) => text.includes(' table/'));
  expect(ofTable.length).toBeGreaterThan(50);
  expect(ofTable.filter((text) => !/ table\/project-management.* table\/restored/.test(text))).toEqual([]);
  expect(tablesUsed(strict.resources)).toEqual(['project-management-development']);
});

test('a restored table that was imported is a resource of the stack, and nothing changes but its stream', async () => {
  const { tableStreamArn: _, ...settings } = combinations['restored table'];
  const outside = await synthesizeTemplates(combinations['restored table']);
  const imported = await synthesizeTemplates(settings);
  const [command, stack, force, flag, mapping = ''] = cdkArguments('import', readSettings(settings), []);
  expect([command, stack, force, flag]).toEqual([
    'import',
    'project-management-production-data',
    '--force',
    '--resource-mapping-inline',
  ]);
  const [[id, identifier]] = Object.entries(JSON.parse(mapping) as object) as [[string, object]];
  expect(identifier).toEqual({ TableName: 'restored' });
  const { [id]: table, ...others } = imported.data;
  expect(table).toMatchObject({ Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain' });
  expect(table?.Properties).toEqual({ ...outside.data['Table']?.Properties, TableName: 'restored' });
  const { Table: own, ...remaining } = outside.data;
  // It leaves the stack, which retains it.
  expect(own?.DeletionPolicy).toBe('Retain');
  const withoutStream = (resources: Resources): string =>
    JSON.stringify(resources)
      .replaceAll(/"EventSourceArn":("[^"]*"|\{[^}]*\})/g, '')
      .replaceAll(/"Resource":("[^"]*\/stream\/[^"]*"|\{"Fn::GetAtt":\["\w+","StreamArn"\]\})/g, '');
  expect(withoutStream(others)).toEqual(withoutStream(remaining));
  expect(imported.api).toEqual(outside.api);
});

test('the own table of a disposable stage stays in the stack beside an imported one: it would be deleted', async () => {
  const { data } = await synthesizeTemplates({ tableName: 'restored' });
  expect(ofType(data, 'AWS::DynamoDB::GlobalTable').map(([id]) => id)).toEqual(['Tablerestored', 'Table']);
});

test('each table has a logical id of its own, which an import names', () => {
  expect(cdkArguments('import', readSettings({}), []).at(-1)).toBe(
    JSON.stringify({ Table: { TableName: 'project-management-development' } }),
  );
  expect(Object.keys(base.data)).toContain('Table');
  const ids = ['restored', 'restored1', 'restored-1', 'restored_1', 'restored.1'].map((name) =>
    tableLogicalId({ stage: 'production' }, name),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[A-Za-z0-9]+$/.test(id))).toEqual([]);
});
