import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ratePrefix } from '../../functions/http/tenant-units.ts';
import type { Access } from './table-access.ts';

/**
 * Returns the statements to use a table that a key of the owner encrypts. DynamoDB calls KMS in the name of the function.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export const keyStatements = (keyArn: string): PolicyStatement[] =>
  keyArn
    ? [
        new PolicyStatement({
          actions: [
            'kms:Decrypt',
            'kms:DescribeKey',
            'kms:Encrypt',
            'kms:GenerateDataKey',
            'kms:ReEncryptFrom',
            'kms:ReEncryptTo',
          ],
          resources: [keyArn],
        }),
      ]
    : [];

/**
 * Returns the statement that a role needs besides its access to count the units of tenants, and for no other key.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export function rateStatements(tableArns: readonly string[], { actions }: Access): PolicyStatement[] {
  if (actions.includes('UpdateItem')) return [];
  const key = 'dynamodb:LeadingKeys';
  return [
    new PolicyStatement({
      actions: ['dynamodb:UpdateItem'],
      resources: [...tableArns],
      conditions: {
        'ForAllValues:StringLike': { [key]: [`${ratePrefix}*`] },
        // "ForAllValues" is true for a request without keys.
        Null: { [key]: 'false' },
      },
    }),
  ];
}

/**
 * Returns the policy statements for exactly these actions on tables, and for queries of their indexes. IAM has no action
 * for a transaction; the actions of its items count.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function tableStatements(
  tableArns: readonly string[],
  { actions, indexes = [] }: Access,
): PolicyStatement[] {
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
    ...allow(actions, tableArns),
    ...allow(
      ['Query'],
      tableArns.flatMap((tableArn) => indexes.map((index) => `${tableArn}/index/${index}`)),
    ),
  ];
}
