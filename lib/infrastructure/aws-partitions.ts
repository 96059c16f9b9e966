/** Values that depend on the partition: `aws`, `aws-us-gov`, `aws-cn`. The partition is known when the stack is deployed. */
import { Aws, CfnMapping } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export const byPartition = (scope: Construct, id: string, values: Readonly<Record<string, string>>): string =>
  new CfnMapping(scope, id, {
    mapping: Object.fromEntries(Object.entries(values).map(([partition, value]) => [partition, { value }])),
  }).findInMap(Aws.PARTITION, 'value');
