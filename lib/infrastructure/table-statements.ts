import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Access } from '../../functions/shared/contract/table-access.ts';

/**
 * Returns the policy statements for exactly these actions on the table, and for queries of its indexes. IAM has no action
 * for a transaction; the actions of its items count.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function tableStatements(table: TableV2, { actions, indexes = [] }: Access): PolicyStatement[] {
  const allow = (names: Access['actions'], resources: readonly string[]): PolicyStatement[] =>
    names.length === 0 || resources.length === 0
      ? []
      : [
          new PolicyStatement({
            actions: names.map((action) => `dynamodb:${action}`),
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
