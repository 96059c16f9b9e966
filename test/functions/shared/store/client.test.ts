import { createHash, createHmac } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { connect, idleMiddleware, retryMiddleware } from '../../../../functions/shared/store/client.ts';
import { Sha256 } from '../../../../functions/shared/store/sha256.ts';
import { startTestStore, type TestStore } from '../../../local-store.ts';

const namesOf = (client: { middlewareStack: { identify(): string[] } }): string[] =>
  client.middlewareStack.identify().map((entry) => entry.split(' ')[0] ?? '');

const Key = { pk: { S: 'a' }, sk: { S: 'b' } };

describe('the client', () => {
  const plain = new DynamoDBClient({ region: 'us-east-1' });
  const ours = connect({ region: 'us-east-1' });

  afterAll(() => {
    plain.destroy();
    ours.destroy();
  });

  test('leaves out what the SDK has, by the names that it has them by', () => {
    expect(namesOf(plain)).toEqual(expect.arrayContaining([...idleMiddleware, retryMiddleware]));
    for (const name of idleMiddleware) expect(namesOf(ours)).not.toContain(name);
  });

  describe('at the engine', () => {
    let store: TestStore;

    beforeAll(async () => {
      store = await startTestStore({ stream: false });
    });
    afterAll(() => store.stop());

    test('tries once, and says what went wrong as it is', async () => {
      const client = connect({ endpoint: 'http://127.0.0.1:9', region: 'us-east-1' });
      const read = client.send(new GetItemCommand({ TableName: store.tableName, Key }));
      await expect(read).rejects.toMatchObject({
        name: 'NoAnswer',
        cause: { code: 'ECONNREFUSED' },
      });
      client.destroy();
    });

    test('signs with the credentials of the environment', async () => {
      const client = connect();
      const headers: Record<string, string>[] = [];
      client.middlewareStack.add(
        (next) => (args) => {
          headers.push((args.request as { headers: Record<string, string> }).headers);
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low', name: 'spy' },
      );
      await client.send(new GetItemCommand({ TableName: store.tableName, Key }));
      expect(headers[0]?.['authorization']).toMatch(
        /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
      );
      client.destroy();
    });
  });
});

describe('SHA-256', () => {
  const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), { maxLength: 4 });
  // Keys shorter and longer than the 64 bytes of a block, and just as long.
  const key = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.uint8Array({ minLength: 1 }),
    fc.uint8Array({ minLength: 60, maxLength: 140 }),
  );
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

  test('digests what Node.js does, in as many parts', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (data) => {
        const expected = createHash('sha256');
        const digest = new Sha256();
        for (const part of data) {
          expected.update(part);
          digest.update(part);
        }
        expect(hex(await digest.digest())).toBe(expected.digest('hex'));
      }),
    );
  });

  test('makes the HMAC that Node.js does', async () => {
    await fc.assert(
      fc.asyncProperty(key, parts, async (secret, data) => {
        const expected = createHmac('sha256', secret);
        const digest = new Sha256(secret);
        for (const part of data) {
          expected.update(part);
          digest.update(part);
        }
        expect(hex(await digest.digest())).toBe(expected.digest('hex'));
      }),
    );
  });

  test('begins anew when it is told to', async () => {
    const digest = new Sha256();
    digest.update('one');
    digest.reset();
    digest.update('two');
    expect(hex(await digest.digest())).toBe(createHash('sha256').update('two').digest('hex'));
  });
});
