import { InvalidArgumentError } from '@commander-js/extra-typings';
import { cdkArguments, contextOf } from '#lib/cdk/options.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';

describe('cdk options', () => {
  const development = readSettings({});
  const production = readSettings({ stage: 'production', machineClient: true, alarmEmail: 'none' });

  test.each([
    [['-c', 'stage=test']],
    [['--context=stage=test']],
    [['--verbose', '-c', 'stage=other', '-c', 'stage=test', 'stack']],
  ])('%j sets the stage over cdk.json', (flags) => {
    const stages = { common: { stage: 'development' } };
    expect(contextOf({ stages }, flags)).toEqual({ stages, stage: 'test' });
  });

  test('rejects a setting of cdk.json that all stages would have', () => {
    expect(() => contextOf({ stages: {}, domainName: 'api.example.com' }, [])).toThrow(
      '"domainName" is directly under "context" in cdk.json. Write it under "stages.<stage>".',
    );
  });

  test.each([[['-c']], [['-c', 'stage']], [['--context', '=x']]])('rejects %j', (flags) => {
    expect(() => contextOf({}, flags)).toThrow(InvalidArgumentError);
  });

  test('destroys both stacks of a disposable stage, and the API stack of any other', () => {
    expect(cdkArguments('destroy', development, [])).toEqual(['destroy', '--all']);
    expect(cdkArguments('destroy', production, [])).toEqual([
      'destroy',
      '--exclusively',
      'project-management-production-api',
    ]);
  });
});
