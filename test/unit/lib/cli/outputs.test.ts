import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOutputs, requiredOutput } from '#lib/cli/outputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
const file = join(folder, 'test.json');

afterAll(() => rmSync(folder, { recursive: true }));

test('reads the outputs of both stacks', () => {
  const stacks = {
    'project-management-test-data': { TableName: 't' },
    'project-management-test-api': { Url: 'u' },
  };
  writeFileSync(file, JSON.stringify(stacks));
  expect(readOutputs('test', file)).toEqual({ TableName: 't', Url: 'u' });
});

test('names the command for a stage that was not deployed from this folder', () => {
  expect(() => readOutputs('test', join(folder, 'other.json'))).toThrow('npm run deploy -- -c stage=test');
});

test('names the setting of an output that does not exist', () => {
  expect(requiredOutput({ Url: 'u' }, 'Url')).toBe('u');
  expect(() => requiredOutput({}, 'MachineClientId', 'machineClient=true')).toThrow(
    'The deployment has no output "MachineClientId". Set machineClient=true and deploy again.',
  );
});
