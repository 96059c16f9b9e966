import { UsageError } from '#lib/cli/command-line.ts';
import { type StartOptions, startOptions } from '#lib/cli/start-options.ts';
import { isAws } from '#lib/local/engine-environment.ts';

const environment = process.env;

beforeEach(() => {
  process.env = {};
});

afterEach(() => {
  process.env = environment;
});

function read(flags: readonly string[], variables: Record<string, string> = {}): StartOptions {
  process.env = variables;
  const options = startOptions(flags);
  if (options === 'help') throw new Error('The flags contain --help.');
  return options;
}

test('listens on 127.0.0.1 unless a host is set', () => {
  expect(read([]).host).toBe('127.0.0.1');
  expect(read([], { HOST: '' }).host).toBe('127.0.0.1');
  expect(read([], { HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  expect(read(['--host', '::'], { HOST: '0.0.0.0' }).host).toBe('::');
});

test('limits no tenant unless a rate is set', () => {
  expect(read([]).tenantRate).toBe(0);
  expect(read([], { TENANT_RATE: '5' }).tenantRate).toBe(5);
  expect(read(['--tenant-rate', '7'], { TENANT_RATE: '5' }).tenantRate).toBe(7);
  for (const text of ['-1', '1.5', 'many', '100001']) {
    expect(() => read([`--tenant-rate=${text}`])).toThrow(
      `The tenant rate must be a whole number from 0 to 100000, not "${text}".`,
    );
  }
});

test('reads origins from repeated flags and from lists', () => {
  expect(read([]).allowedOrigins).toEqual([]);
  expect(read([], { ALLOW_ORIGIN: 'https://a.example, https://b.example' }).allowedOrigins).toEqual([
    'https://a.example',
    'https://b.example',
  ]);
  const flags = ['--allow-origin', 'https://a.example', '--allow-origin', 'http://b.example:8080,*'];
  expect(read(flags, { ALLOW_ORIGIN: 'https://c.example' }).allowedOrigins).toEqual([
    'https://a.example',
    'http://b.example:8080',
    '*',
  ]);
});

test.each([
  'https://a.example/',
  'https://a.example/path',
  'a.example',
  'ftp://a.example',
  'http://a:*',
  'null',
])('rejects the origin %s', (origin) => {
  expect(() => read(['--allow-origin', origin])).toThrow(UsageError);
  expect(() => read([], { ALLOW_ORIGIN: origin })).toThrow(`"${origin}"`);
});

test('reads host names from repeated flags and from lists', () => {
  expect(read([]).allowedHosts).toEqual([]);
  expect(read([], { ALLOW_HOST: 'Laptop.example, api' }).allowedHosts).toEqual(['laptop.example', 'api']);
  const flags = ['--allow-host', 'a.example', '--allow-host', 'b.example,c.example'];
  expect(read(flags, { ALLOW_HOST: 'd.example' }).allowedHosts).toEqual([
    'a.example',
    'b.example',
    'c.example',
  ]);
});

test.each(['a.example:3000', 'http://a.example', '*', '.example', 'a example'])(
  'rejects the host %s',
  (host) => {
    expect(() => read(['--allow-host', host])).toThrow(UsageError);
    expect(() => read([], { ALLOW_HOST: host })).toThrow(`"${host}"`);
  },
);

const awsEndpoints = [
  'https://dynamodb.eu-central-1.amazonaws.com',
  'https://dynamodb.eu-central-1.amazonaws.com./',
  'https://DynamoDB.EU-central-1.AmazonAWS.com',
  'https://123456789012.ddb.us-east-1.amazonaws.com',
  'https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com',
  'https://dynamodb.cn-north-1.amazonaws.com.cn',
  'https://dynamodb.us-east-1.api.aws',
];

const otherEndpoints = [
  'http://localhost:8000',
  'http://127.0.0.1:8000',
  'http://amazonaws.com.example.com',
  'http://notamazonaws.com',
  'http://dynamodb:8000',
];

test.each(awsEndpoints)('rejects %s without an issuer, and names both alternatives', (endpoint) => {
  expect(isAws(endpoint)).toBe(true);
  for (const refused of [
    () => read(['--dynamodb-endpoint', endpoint]),
    () => read([], { DYNAMODB_ENDPOINT: endpoint }),
  ]) {
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow('--authentication-issuer');
    expect(refused).toThrow('--allow-unauthenticated');
  }
});

test.each(awsEndpoints)('accepts %s with an issuer, or with --allow-unauthenticated', (endpoint) => {
  const aws = ['--dynamodb-endpoint', endpoint];
  expect(read([...aws, '--allow-unauthenticated']).endpoint).toBe(endpoint);
  const issuer = [
    '--authentication-issuer',
    'https://issuer.example.com',
    '--authentication-audience',
    'api',
  ];
  expect(read([...aws, ...issuer]).endpoint).toBe(endpoint);
});

test.each(otherEndpoints)('accepts %s without an issuer', (endpoint) => {
  expect(isAws(endpoint)).toBe(false);
  expect(read(['--dynamodb-endpoint', endpoint]).endpoint).toBe(endpoint);
});
