import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import { CommandFailure } from '#lib/command-line/command-line.ts';
import { readOutputs } from '#lib/command-line/outputs.ts';
import { npm } from '#lib/command-line/programs.ts';
import { requireService } from '#lib/command-line/require-service.ts';
import { startCommand, startOptions } from '#lib/command-line/start-options.ts';
import { isAws } from '#lib/local/engine-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('outputs', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'test.json');

  test('reads the outputs of both stacks', () => {
    const [data, api] = [{ TableName: 't' }, { Url: 'u' }];
    const stacks = { 'project-management-test-data': data, 'project-management-test-api': api };
    writeFileSync(file, JSON.stringify(stacks));
    expect(readOutputs('test', file)).toEqual({ TableName: 't', Url: 'u' });
  });
});

describe('require service', () => {
  const problem = (type: string, status: number, detail: string): string =>
    JSON.stringify({ type: `/docs#${type}`, title: 'Title', status, detail });

  test.each([
    ['is healthy', 200, 'application/json', '{"status":"ok"}', undefined],
    [
      'is unavailable',
      503,
      'application/problem+json',
      problem('unavailable', 503, 'Later.'),
      'is not healthy',
    ],
    ['has no such path', 404, 'text/html', '<h1>Not\nfound</h1>', 'is not a project-management service'],
    ['sends a web page', 200, 'text/html', '<h1>Hello</h1>', 'is not a project-management service'],
  ])('checks a service that %s', async (_, status, type, body, message) => {
    const respond = async () => new Response(body, { status, headers: { 'content-type': type } });
    const options = { tries: 1, fetch: respond };
    const failure = await requireService('http://service.example', options).catch((error: unknown) => error);
    if (message === undefined) {
      expect(failure).toBeUndefined();
    } else {
      expect(failure).toBeInstanceOf(CommandFailure);
      expect((failure as Error).message).toMatch(new RegExp(`^[^\\n]*${message}[^\\n]*$`));
    }
  });
});

describe('start options', () => {
  function read(flags: readonly string[], variables: Record<string, string> = {}) {
    const environment = process.env;
    process.env = variables;
    try {
      const command = startCommand('start')
        .exitOverride()
        .configureOutput({ writeErr: () => {} });
      return startOptions(command.parse(flags, { from: 'user' }));
    } finally {
      process.env = environment;
    }
  }

  test('listens on 127.0.0.1 unless a host is set', () => {
    expect(read([]).host).toBe('127.0.0.1');
    expect(read([], { HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
    expect(read(['--host', '::'], { HOST: '0.0.0.0' }).host).toBe('::');
  });

  test('limits no tenant unless a rate is set', () => {
    expect(read([]).tenantRate).toBe(0);
    expect(read([], { TENANT_RATE: '5' }).tenantRate).toBe(5);
    expect(read(['--tenant-rate', '7'], { TENANT_RATE: '5' }).tenantRate).toBe(7);
    for (const text of ['-1', '1.5', 'many', '100001']) {
      expect(() => read([`--tenant-rate=${text}`])).toThrow('It must be a whole number from 0 to 100000.');
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
    ...['https://a.example/path', 'a.example', 'ftp://a.example', 'null'].map((one) => ['origin', one]),
    ...['a.example:3000', 'http://a.example', '*', '.example', 'a example'].map((one) => ['host', one]),
  ])('rejects the %s %s', (name, value) => {
    expect(() => read([`--allow-${name}`, value])).toThrow(CommanderError);
    expect(() => read([], { [`ALLOW_${name.toUpperCase()}`]: value })).toThrow(`'${value}'`);
  });

  test.each([
    'https://dynamodb.eu-central-1.amazonaws.com',
    'https://DynamoDB.EU-central-1.AmazonAWS.com',
    'https://123456789012.ddb.us-east-1.amazonaws.com',
    'https://dynamodb.cn-north-1.amazonaws.com.cn',
    'https://dynamodb.us-east-1.api.aws',
  ])('accepts %s only with an issuer, or with --allow-unauthenticated', (endpoint) => {
    expect(isAws(endpoint)).toBe(true);
    const aws = ['--dynamodb-endpoint', endpoint];
    for (const refused of [() => read(aws), () => read([], { DYNAMODB_ENDPOINT: endpoint })]) {
      expect(refused).toThrow(InvalidArgumentError);
      expect(refused).toThrow('--authentication-issuer');
      expect(refused).toThrow('--allow-unauthenticated');
    }
    expect(read([...aws, '--allow-unauthenticated']).endpoint).toBe(endpoint);
    const issuer = ['--authentication-issuer', 'https://issuer.example.com'];
    expect(read([...aws, ...issuer, '--authentication-audience', 'api']).endpoint).toBe(endpoint);
  });

  test.each(['http://localhost:8000', 'http://amazonaws.com.example.com', 'http://notamazonaws.com'])(
    'accepts %s without an issuer',
    (endpoint) => {
      expect(isAws(endpoint)).toBe(false);
      expect(read(['--dynamodb-endpoint', endpoint]).endpoint).toBe(endpoint);
    },
  );
});

test('npm is run by Node.js, because Windows cannot start npm.cmd without a shell', () => {
  const program = 'C:\\node\\node_modules\\npm\\bin\\npm-cli.js';
  process.env['npm_execpath'] = program;
  expect(npm('run', 'lint')).toEqual([process.execPath, program, 'run', 'lint']);
});
