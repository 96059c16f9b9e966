import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { registryPrefix } from '../../functions/engine/model/registry.ts';
import { ratePrefix } from '../../functions/http/tenant-units.ts';
import type { Access } from './table-access.ts';

/**
 * Returns the statements to use a table that keys of the owner encrypt. DynamoDB calls KMS in the name of the function.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export const keyStatements = (keyArns: readonly string[]): PolicyStatement[] =>
  keyArns.length > 0
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
          resources: [...keyArns],
          // China has a suffix of its own.
          conditions: { StringLike: { 'kms:ViaService': `dynamodb.${Aws.REGION}.amazonaws.com*` } },
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

/** Actions that return items, or remove them. */
const registryActions = ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query'].map((name) => `dynamodb:${name}`);

/** Returns the statement that keeps a role from reading the registry of logs, which names all tenants. */
const registryStatements = (tableArns: readonly string[], { readsRegistry }: Access): PolicyStatement[] =>
  readsRegistry
    ? []
    : [
        new PolicyStatement({
          effect: Effect.DENY,
          actions: registryActions,
          resources: [...tableArns],
          conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [`${registryPrefix}*`] } },
        }),
      ];

/**
 * Returns the policy statements for exactly these actions on tables, and for queries of their indexes. IAM has no action
 * for a transaction; the actions of its items count.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function tableStatements(tableArns: readonly string[], access: Access): PolicyStatement[] {
  const { actions, indexes = [] } = access;
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
    ...(actions.length > 0 ? registryStatements(tableArns, access) : []),
    ...allow(actions, tableArns),
    ...allow(
      ['Query'],
      tableArns.flatMap((tableArn) => indexes.map((index) => `${tableArn}/index/${index}`)),
    ),
  ];
}
