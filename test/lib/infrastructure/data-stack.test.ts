import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { table } from '../../../functions/shared/store/table.ts';
import { DataStack } from '../../../lib/infrastructure/data-stack.ts';
import { ofType, type Resource, type Resources, temporaryFolder } from './stacks.ts';

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

describe('the table', () => {
  const stack = new DataStack(new App({ outdir: temporaryFolder() }), 'data');
  const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Resources };
  const [[, found]] = ofType(Resources, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
  const { Properties } = found;

  test('is the only resource of its stack', () => {
    expect(Object.values(Resources)).toEqual([found]);
  });

  test('has the keys and indexes that the store relies on', () => {
    expect(Properties['KeySchema']).toEqual(keySchema(table.partitionKey, table.sortKey));
    expect(Properties['GlobalSecondaryIndexes']).toEqual(
      Object.entries(table.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keySchema(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    );
  });

  test('expires items, and streams what is written', () => {
    expect(Properties['TimeToLiveSpecification']).toEqual({ AttributeName: table.timeToLive, Enabled: true });
    expect(Properties['StreamSpecification']).toEqual({ StreamViewType: 'NEW_IMAGE' });
  });

  test('is paid for by request', () => {
    expect(Properties['BillingMode']).toBe('PAY_PER_REQUEST');
  });

  test('cannot be lost: not by a deletion, not by that of its stack, not by a wrong write', () => {
    expect(found.DeletionPolicy).toBe('Retain');
    expect(stack.terminationProtection).toBe(true);
    expect(Properties['Replicas']).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
  });
});
