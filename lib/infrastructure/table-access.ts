import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Access } from '../../functions/shared/contract/access.ts';

/**
 * What a role needs to do exactly these actions. The indexes are queried for entities, the table for counters;
 * everything else is done to the table. IAM has no action for a transaction: those of its parts count.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function tableStatements(table: TableV2, { actions, indexes = [] }: Access): PolicyStatement[] {
  const allow = (wanted: Access['actions'], resources: readonly string[]): PolicyStatement[] =>
    wanted.length === 0 || resources.length === 0
      ? []
      : [
          new PolicyStatement({
            actions: wanted.map((action) => `dynamodb:${action}`),
            resources: [...resources],
          }),
        ];
  return [
    ...allow(actions, [table.tableArn]),
    ...allow(
      ['Query'],
      indexes.map((index) => `${table.tableArn}/index/${index}`),
    ),
  ];
}
