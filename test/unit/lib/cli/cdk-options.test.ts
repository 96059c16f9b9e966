import { announcement, cdkArguments, commandFlags, contextOf, requireFlags } from '#lib/cli/cdk-options.ts';
import { UsageError } from '#lib/cli/command-line.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';

const development = readSettings({});
const production = readSettings({ stage: 'production', machineClient: true, alarmEmail: 'none' });

test.each([
  [['-c', 'stage=test']],
  [['-c=stage=test']],
  [['--context', 'stage=test']],
  [['--context=stage=test']],
  [['--verbose', '-c', 'stage=other', '-c', 'stage=test', 'stack']],
])('%j sets the stage over cdk.json', (flags) => {
  expect(contextOf({ stage: 'development', region: '' }, flags)).toEqual({ stage: 'test', region: '' });
});

test('keeps equals signs in a value', () => {
  expect(contextOf({}, ['-c', 'callbackUrls=https://a.example/?x=1'])).toEqual({
    callbackUrls: 'https://a.example/?x=1',
  });
});

test.each([[['-c']], [['-c', 'stage']], [['--context', '=x']]])('rejects %j', (flags) => {
  expect(() => contextOf({}, flags)).toThrow(UsageError);
});

test('deploys both stacks and writes their outputs to a file', () => {
  expect(cdkArguments('deploy', development, ['-c', 'x=y'])).toEqual([
    'deploy',
    '--all',
    '--outputs-file',
    '.outputs/development.json',
    '-c',
    'x=y',
  ]);
});

test.each(['bootstrap', 'destroy'] as const)(
  '%s asks for no client and no address for alarms, because it creates none',
  (command) => {
    const flags = commandFlags(command, ['-c', 'stage=production']);
    expect(flags).toEqual(['-c', 'stage=production', '-c', 'machineClient=true', '-c', 'alarmEmail=none']);
    expect(readSettings(contextOf({ callbackUrls: [] }, flags)).stage).toBe('production');
    const pool = { userPoolId: 'eu-central-1_a1B2c3D4e', audience: ['app'] };
    expect(readSettings(contextOf(pool, commandFlags(command, [], pool)))).toMatchObject(pool);
  },
);

test.each([
  [{ npm_config_call: 'stage=production' }, '-c stage=production'],
  [{ npm_config_stage: 'test' }, '-c stage=test'],
])('rejects flags that npm has taken: %j', (environment, flag) => {
  expect(() => requireFlags('deploy', environment)).toThrow(`npm run deploy -- ${flag}`);
});

test.each([[{}], [{ npm_config_call: 'npm run deploy' }]])('accepts the environment %j', (environment) => {
  expect(() => requireFlags('deploy', environment)).not.toThrow();
});

test('destroys both stacks of a disposable stage, and the API stack of any other', () => {
  expect(cdkArguments('destroy', development, [])).toEqual(['destroy', '--all']);
  expect(cdkArguments('destroy', production, [])).toEqual([
    'destroy',
    '--exclusively',
    'project-management-production-api',
  ]);
  expect(announcement('destroy', development, 'eu-central-1')).toContain('The data is deleted as well.');
  expect(announcement('destroy', production, 'eu-central-1')).toContain('The data stack stays');
});
