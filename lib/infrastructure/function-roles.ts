/** The roles of functions. Policies are inline: a separate policy would be a resource more. */
import { Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { pascal } from '../../functions/contract/contract.ts';
import { allowedKeys, allowedTableArns, functionLogArn, functionLogName } from './names.ts';
import type { Settings } from './settings.ts';
import type { Access } from './table-access.ts';
import { keyStatements, rateStatements, tableStatements } from './table-statements.ts';

export interface Permissions {
  /** For the table. Without them, the function does not know the table. */
  readonly access?: Access;
  readonly statements?: readonly PolicyStatement[];
}

/** X-Ray supports no resource-level permissions for traces. */
const tracing = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

/** Returns the statements of a function that uses the table, with the key that encrypts it. */
function dataStatements(settings: Settings, access: Access): PolicyStatement[] {
  const ofTable = tableStatements(allowedTableArns(settings), access);
  return ofTable.length > 0 ? [...ofTable, ...keyStatements(allowedKeys(settings))] : [];
}

/** Creates a role that allows a function to log, and exactly these permissions. */
export function createRole(
  scope: Construct,
  id: string,
  settings: Settings,
  { access, statements = [] }: Permissions,
): Role {
  const logging = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [functionLogArn(settings)],
  });
  const role = new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      access: new PolicyDocument({
        statements: [
          logging,
          ...(settings.tracing ? [tracing()] : []),
          ...(access ? dataStatements(settings, access) : []),
          ...statements,
        ],
      }),
    },
  });
  const reason = 'X-Ray and ListStreams support no resource-level permissions.';
  Validations.of(role).acknowledge(
    { id: 'AwsSolutions-IAM5[Resource::*]', reason },
    {
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${functionLogName(settings)}:*]`,
      reason: 'The wildcard stands for the log streams of the group.',
    },
    { id: 'Serverless-LambdaStarPermissions', reason },
  );
  return role;
}

/**
 * Returns the role of all functions of a stack with the same permissions. Its name says what it allows.
 * @param isLimited whether the functions count the units of tenants.
 */
export function sharedRole(scope: Construct, settings: Settings, access: Access, isLimited: boolean): Role {
  const { actions, indexes = [] } = access;
  const limit = isLimited ? rateStatements(allowedTableArns(settings), access) : [];
  // Also for a function that does nothing else with the table. A document has no statement twice.
  const statements = limit.length > 0 ? [...limit, ...keyStatements(allowedKeys(settings))] : [];
  const allowed = [
    ...[...actions].sort(),
    ...[...indexes].sort(),
    ...(statements.length > 0 ? ['Rate'] : []),
  ];
  const id = `Allow${allowed.map(pascal).join('') || 'Logs'}`;
  const known = scope.node.tryFindChild(id) as Role | undefined;
  return known ?? createRole(scope, id, settings, { access, statements });
}
