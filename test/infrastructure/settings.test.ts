import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, settingNames } from '../../lib/infrastructure/settings.ts';
import { app } from './app.ts';
import { temporaryFolder } from './stacks.ts';

const read = (settings: Record<string, unknown>) => readSettings(app(temporaryFolder(), settings).node);

test('cdk.json has every setting, and docs/deployment.md explains it', () => {
  const root = join(__dirname, '../..');
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
  for (const name of settingNames) {
    expect(context).toHaveProperty(name);
    expect(page).toContain(`\`${name}\``);
  }
});

test('cdk.json has the defaults', () => {
  const nothing = Object.fromEntries(settingNames.map((name) => [name, undefined]));
  expect(read({})).toEqual(read(nothing));
});

test('values can be text from the command line', () => {
  const given = { corsOrigins: 'https://a.example, http://localhost:5173', throttlingRate: '20' };
  expect(read(given)).toMatchObject({
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    throttlingRate: 20,
  });
});

test.each([
  ['stage', 'Production', 'lower-case'],
  ['region', 'frankfurt', 'eu-central-1'],
  ['corsOrigins', 'https://a.example/path', 'without a path'],
  ['throttlingRate', 0, 'from 1 to 10000'],
  ['throttlingBurst', 'many', 'from 1 to 5000'],
  ['authentication', 'http://issuer.example.com', 'https URL'],
  ['authentication', 'https://issuer.example.com', '"audience" must be'],
  ['audience', 'api', '"audience" must be'],
  ['tenantClaim', '', 'claim'],
  ['callbackUrls', 'app', 'sign-in page'],
  ['callbackUrls', 'http://app.example.com/', 'sign-in page'],
  ['logRetentionDays', 31, '30'],
  ['alarmEmail', 'me', 'e-mail address'],
])('rejects %s = %j with the name and the rule of the setting', (name, value, right) => {
  expect(() => read({ [name]: value })).toThrow(`"${name}" is`);
  expect(() => read({ [name]: value })).toThrow(JSON.stringify(value));
  expect(() => read({ [name]: value })).toThrow(right);
});
