import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { liveWindow, ofOneStage, settingNames } from '#lib/infrastructure/settings.ts';
import { expectComplete } from '../support/complete.ts';
import { defaultContext } from './default-context.ts';

const read = (settings: Record<string, unknown>) => readSettings({ ...defaultContext, ...settings });

const root = join(__dirname, '../..');
const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as {
  context: { stages: Record<string, Record<string, unknown>> };
};

test('cdk.json has every setting, and docs/deployment.md explains it', () => {
  const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
  const explained = settingNames.filter((name) => page.includes(`\`${name}\``));
  expectComplete(
    Object.values(context.stages).flatMap((values) => Object.keys(values)),
    settingNames,
    {
      missing:
        'Add its default to `stages` in cdk.json: to `common`, or to `production` if it is of one stage.',
    },
  );
  expectComplete(explained, settingNames, { missing: 'Explain it in docs/deployment.md.' });
});

test('the settings of cdk.json are valid', () => {
  expect(() => readSettings(context)).not.toThrow();
});

const ofPool = { userPoolId: 'eu-central-1_a1B2c3D4e', audience: 'app' };
const streamOfOther = 'arn:aws:dynamodb:eu-central-1:123456789012:table/other/stream/2026';
const ofLive = {
  liveDomainName: 'live.example.com',
  liveCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
};
const key = 'arn:aws:kms:us-east-1:123456789012:key/1';

test.each([
  ['tableName', { tableName: 'restored', tableStreamArn: streamOfOther }],
  ['callbackUrls', { stage: 'production' }],
  ['alarmEmail', { stage: 'production', machineClient: true }],
  ['allowUnauthenticated', { stage: 'production', authentication: 'none', alarmEmail: 'none' }],
  ['requireGroup', { authentication: 'none', requireGroup: true }],
  ['audience', { ...ofPool, audience: '' }],
  ['userPoolId', { ...ofPool, region: 'eu-west-1' }],
  ['userPoolId', { userPoolId: ofPool.userPoolId, authentication: 'none' }],
  ['machineClient', { ...ofPool, machineClient: true }],
  ['callbackUrls', { ...ofPool, callbackUrls: 'https://a.example/' }],
  ['emailFrom', { ...ofPool, emailFrom: 'no-reply@example.com' }],
  ['emailFrom', { authentication: 'none', emailFrom: 'no-reply@example.com' }],
  ['certificateArn', { domainName: 'api.example.com' }],
  [
    'certificateArn',
    {
      region: 'us-east-1',
      domainName: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
    },
  ],
  [
    'permissionsBoundary',
    { account: '123456789012', permissionsBoundary: 'arn:aws:iam::210987654321:policy/all' },
  ],
  [
    'backupCopyVaultArn',
    {
      account: '123456789012',
      region: 'eu-west-1',
      backupCopyVaultArn: 'arn:aws:backup:eu-west-1:123456789012:backup-vault:copies',
    },
  ],
  ['hostedZoneId', { hostedZoneId: 'Z0123456789' }],
  ['live', { authentication: 'none', live: 1 }],
  ['live', { authentication: 'none', live: '0' }],
  ['liveCertificateArn', { liveDomainName: 'live.example.com' }],
  ['liveCertificateArn', { liveCertificateArn: ofLive.liveCertificateArn }],
  ['liveDomainName', { ...ofLive, live: 'off' }],
  ['liveDomainName', { ...ofLive, authentication: 'none' }],
  ['alarms', { alarms: false, alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms' }],
  ['monthlyBudget', { monthlyBudget: 5, alarmEmail: 'none' }],
  ['region', { encryptionKey: key }],
  ['region', { region: 'eu-west-1', encryptionKey: key }],
  ['region', { otherEncryptionKey: key }],
  ['urgentTopicArn', { region: 'eu-west-1', urgentTopicArn: 'arn:aws:sns:us-east-1:123456789012:urgent' }],
  ['alarmTopicArn', { region: 'eu-west-1', alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms' }],
])('rejects settings that do not fit together: %s', (name, settings) => {
  expect(() => read(settings)).toThrow(`"${name}"`);
});

test.each([
  ['Application=pm', 'differs from other keys, "application" and "stage" in more than case'],
  ['stage=prod', 'differs from other keys, "application" and "stage" in more than case'],
  ['team=a,owner=b,Team=c', 'differs from other keys'],
  [Array.from({ length: 49 }, (_, index) => `k${index}=v`).join(','), 'at most 48 tags'],
])('rejects tags that a role cannot have together: %s', (tags, wrong) => {
  expect(() => read({ tags })).toThrow(wrong);
});

test('accepts tags with the characters of IAM, and as many as a role can have', () => {
  const most = Array.from({ length: 47 }, (_, index) => `k${index}=`);
  expect(read({ tags: ['Kostenstelle=Müller: 4=2 +/-_.@', ...most] }).tags).toHaveLength(48);
});

test.each([
  [{}, 0],
  [{ live: '0' }, 0],
  [{ live: 300 }, 300],
  [{ live: 'off' }, undefined],
  [{ authentication: 'none' }, undefined],
  [{ authentication: 'none', live: 'off' }, undefined],
])('%j announces changes after %s seconds', (settings, seconds) => {
  expect(liveWindow(read(settings))).toBe(seconds);
});

describe('the values of stages', () => {
  const production = {
    ...{ tableName: 'restored', tableStreamArn: streamOfOther.replace('other', 'restored') },
    ...{ domainName: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1' },
    ...{ callbackUrls: ['https://app.example.com/'], alarmEmail: 'ops@example.com', throttlingRate: 100 },
  };
  const stages = {
    common: { stage: 'development', throttlingRate: 50, multiFactor: 'required' },
    staging: { alarmEmail: 'none', machineClient: true },
    production,
  };

  test('come from the command line, then from the stage, then from those of all stages', () => {
    expect(read({ stages })).toMatchObject({ stage: 'development', throttlingRate: 50 });
    expect(read({ stages, stage: 'production' })).toMatchObject({ ...production, multiFactor: 'required' });
    const given = { stage: 'production', throttlingRate: '7', multiFactor: 'optional' };
    expect(read({ stages, ...given })).toMatchObject({ ...given, throttlingRate: 7, tableName: 'restored' });
  });

  test('are not those of another stage', () => {
    const staging = read({ stages, stage: 'staging' });
    for (const name of ofOneStage.filter((one) => one !== 'alarmEmail'))
      expect([name, String(staging[name])]).toEqual([name, '']);
    expect(() => read({ stages: { ...stages, staging: {} }, stage: 'staging' })).toThrow('"alarmEmail"');
  });

  test.each(ofOneStage)('cannot be shared by all stages: %s', (name) => {
    const common = { ...stages.common, [name]: production[name as keyof typeof production] ?? 'any' };
    expect(() => read({ stages: { ...stages, common }, stage: 'staging' })).toThrow(
      `"${name}" is in "stages.common"`,
    );
  });

  test('are checked for all stages', () => {
    expect(() => read({ stages: { ...stages, production: { trottlingRate: 5 } } })).toThrow(
      '"trottlingRate"',
    );
  });
});

test('rejects a key that is not a setting, and names the nearest one', () => {
  expect(() => read({ trottlingRate: 5 })).toThrow('Did you mean "throttlingRate"?');
  expect(() => read({ '@aws-cdk/core:anything': true, 'aws:cdk:fact': 1 })).not.toThrow();
});

test.each([
  ['stage', 'Production', 'lower-case'],
  ['stage', 'my-aws', 'which Cognito refuses'],
  ['account', '12345678901', '12 digits'],
  ['tableName', 'a', 'restored table'],
  ['tableStreamArn', 'arn:aws:dynamodb:eu-central-1:1', '"tableName" names'],
  ['machineClient', 'yes', 'true or false'],
  ['multiFactor', 'sms', '"optional"'],
  ['closeProjects', 'members', '"all-projects"'],
  ['userPoolId', 'a1B2c3D4e', 'eu-central-1_a1B2c3D4e'],
  ['region', 'frankfurt', 'eu-central-1'],
  ['region', 'us-gov-west-1', 'outside GovCloud'],
  ['corsOrigins', 'https://a.example/path', 'without a path'],
  ['corsOrigins', 'https://*.a.example', 'without a path'],
  ['throttlingRate', 0, 'from 1 to 10000'],
  ['historyDays', 401, 'from 7 to 400'],
  ['columnMemory', 63, 'from 64 to 8192'],
  ['live', 301, 'from 0 to 300'],
  ['live', 'on', '"off"'],
  ['live', 0.5, 'whole number of seconds'],
  ['liveSpread', 600_001, 'from 0 to 600000'],
  ['liveCertificateArn', 'arn:aws:acm:eu-west-1:123456789012:certificate/1', 'us-east-1'],
  ['authentication', 'http://issuer.example.com', 'https URL'],
  ['authentication', 'https://issuer.example.com', '"audience" must be'],
  ['tenantClaim', '', 'claim'],
  ['callbackUrls', 'http://app.example.com/', 'sign-in page'],
  ['callbackUrls', 'https://app.example.com/#/signed-in', 'without "#"'],
  ['callbackUrls', 'https://*.example.com/', 'wildcard'],
  ['emailFrom', 'example.com', 'sender of the mails'],
  ['logRetentionDays', 31, '30'],
  ['alarmEmail', 'me', 'e-mail address'],
  ['domainName', 'https://api.example.com', 'name of a domain'],
  ['certificateArn', 'certificate', 'ARN of a certificate'],
  ['hostedZoneId', 'example.com', 'hosted zone'],
  ['tags', 'aws:team=a', 'key=value'],
  ['tags', 'cost-center=R&D', 'letters, digits, spaces and _ . : / = + - @'],
  ['tags', 'owner=Müller (IT)', 'letters, digits, spaces and _ . : / = + - @'],
  ['permissionsBoundary', 'boundary', 'managed policy'],
  ['encryptionKey', 'alias/mine', 'key of AWS KMS'],
  ['backupVault', 'a vault', 'vault of AWS Backup'],
  ['backupVault', 'earlier', 'needs "backupDays"'],
  ['backupCopyVaultArn', 'copies', 'vault of AWS Backup'],
  ['backupCopyVaultArn', 'arn:aws:backup:eu-west-1:123456789012:backup-vault:copies', 'needs "backupDays"'],
  ['monthlyBudget', '5.5', 'US dollars'],
])('rejects %s = %j with the name and the rule of the setting', (name, value, right) => {
  expect(() => read({ [name]: value })).toThrow(`"${name}" is`);
  expect(() => read({ [name]: value })).toThrow(JSON.stringify(value));
  expect(() => read({ [name]: value })).toThrow(right);
});
