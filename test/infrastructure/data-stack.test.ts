import { routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import { table } from '../../functions/shared/store/model/table.ts';
import { service } from '../../lib/infrastructure/service.ts';
import { app } from './app.ts';
import { bundles, ofType, type Resource, type Resources, synthesize, temporaryFolder } from './stacks.ts';

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

let resources: Resources;

beforeAll(async () => {
  resources = (await synthesize()).data;
});

const one = (type: string): Resource => {
  const found = ofType(resources, type);
  expect(found).toHaveLength(1);
  return (found[0] as [string, Resource])[1];
};

describe('the table', () => {
  const type = 'AWS::DynamoDB::GlobalTable';

  test('has the keys and indexes of the store', () => {
    expect(one(type).Properties['KeySchema']).toEqual(keySchema(table.partitionKey, table.sortKey));
    expect(one(type).Properties['GlobalSecondaryIndexes']).toEqual(
      Object.entries(table.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keySchema(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    );
  });

  test('has a time to live and a stream', () => {
    expect(one(type).Properties['TimeToLiveSpecification']).toEqual({
      AttributeName: table.timeToLive,
      Enabled: true,
    });
    expect(one(type).Properties['StreamSpecification']).toEqual({ StreamViewType: 'KEYS_ONLY' });
  });

  test('is billed per request', () => {
    expect(one(type).Properties['BillingMode']).toBe('PAY_PER_REQUEST');
  });

  test('is encrypted', () => {
    expect(one(type).Properties['SSESpecification']).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
  });

  test('survives its deletion, the deletion of the stack and wrong writes', () => {
    expect(one(type).DeletionPolicy).toBe('Retain');
    expect(one(type).Properties['Replicas']).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
  });
});

describe('the user pool', () => {
  test('survives its deletion and the deletion of the stack', () => {
    const pool = one('AWS::Cognito::UserPool');
    expect(pool.DeletionPolicy).toBe('Retain');
    expect(pool.Properties['DeletionProtection']).toBe('ACTIVE');
  });

  test('has no sign-up, and users cannot write their tenant', () => {
    const { Properties } = one('AWS::Cognito::UserPool');
    expect(Properties['AdminCreateUserConfig']).toEqual({ AllowAdminCreateUserOnly: true });
    expect(Properties['Schema']).toContainEqual(expect.objectContaining({ Name: 'tenant' }));
    for (const [, client] of ofType(resources, 'AWS::Cognito::UserPoolClient')) {
      expect(client.Properties['WriteAttributes']).toEqual(['email']);
    }
  });

  test('has the scopes of all operations', () => {
    const scopes = one('AWS::Cognito::UserPoolResourceServer').Properties['Scopes'] as {
      ScopeName: string;
    }[];
    const asked = routes.flatMap(({ contract }) => scopeOf(contract) ?? []);
    expect(scopes.map(({ ScopeName }) => ScopeName).sort()).toEqual([...new Set(asked)].sort());
  });

  test('adds the tenant to access tokens', () => {
    const { LambdaConfig } = one('AWS::Cognito::UserPool').Properties as {
      LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: string } };
    };
    expect(LambdaConfig.PreTokenGenerationConfig.LambdaVersion).toBe('V3_0');
  });

  test.each(['none', 'https://issuer.example.com/'])(
    'are not made with authentication %s',
    async (authentication) => {
      const audience = authentication === 'none' ? '' : 'api';
      const { data } = await synthesize({ authentication, audience });
      expect(Object.values(data).map(({ Type }) => Type)).toEqual(['AWS::DynamoDB::GlobalTable']);
    },
  );
});

test('the stack has termination protection', async () => {
  const { data } = service(app(temporaryFolder()), await bundles());
  expect(data.terminationProtection).toBe(true);
});
