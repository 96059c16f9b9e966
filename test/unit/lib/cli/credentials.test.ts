import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireAws } from '#lib/cli/credentials.ts';

let error: string;
let server: Server;
const outer = { ...process.env };

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(
      JSON.stringify({ __type: `com.amazon.coral.service#${error}`, message: 'The token is not valid.' }),
    );
  }).listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['AWS_ACCESS_KEY_ID'] = 'x';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'x';
});

afterAll(() => {
  server.close();
  process.env = outer;
});

const found = { failure: Promise.resolve(undefined), region: Promise.resolve('eu-central-1') };

test.each(['UnrecognizedClientException', 'ExpiredTokenException', 'InvalidSignatureException'])(
  'says that AWS does not accept the credentials after %s',
  async (name) => {
    error = name;
    await expect(requireAws(found, '')).rejects.toThrow(
      `AWS does not accept the credentials (${name}: The token is not valid.). Set one of these:`,
    );
  },
);

test('needs no permission', async () => {
  error = 'AccessDeniedException';
  expect(await requireAws(found, 'us-east-1')).toBe('us-east-1');
});

describe('when AWS cannot be reached', () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: before } = outer;

  beforeEach(() => {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = 'http://127.0.0.1:1';
    delete process.env['HTTPS_PROXY'];
    delete process.env['https_proxy'];
  });

  afterEach(() => {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = before;
    delete process.env['HTTPS_PROXY'];
  });

  test('says so', async () => {
    await expect(requireAws(found, '')).rejects.toThrow(
      'AWS cannot be reached: dynamodb.eu-central-1.amazonaws.com does not respond (ECONNREFUSED). ' +
        'Check the network and the region. Behind a proxy, set HTTPS_PROXY.',
    );
  });

  test('leaves it to CDK behind a proxy, which only CDK uses', async () => {
    process.env['HTTPS_PROXY'] = 'http://proxy.example:8080';
    expect(await requireAws(found, '')).toBe('eu-central-1');
  });
});
