import { toMutations } from './mutation.ts';

export const infrastructureMutations = toMutations({
  'lib/infrastructure/table-access.ts': {
    'permission-without-a-call': [
      'the functions that create entities may change items in a way that no code does',
      'const createActions = (kind: Kind): readonly Action[] => [...writeActions,',
      "const createActions = (kind: Kind): readonly Action[] => ['UpdateItem', ...writeActions,",
    ],
    'call-without-a-permission': [
      'the functions that change an entity may not delete its long text',
      '...(longTextField in fields || unique ?',
      '...(unique ?',
    ],
  },
  'lib/infrastructure/table-statements.ts': {
    'registry-read-by-requests': [
      'the functions of requests can read which tenants there are',
      'effect: Effect.DENY,',
      'effect: Effect.ALLOW,',
    ],
    'role-of-another-table': [
      'every role allows the operations on all tables of the account',
      '    ...allow(actions, tableArns),',
      "    ...allow(actions, ['*'].slice(tableArns.length - 1)),",
    ],
  },
  'lib/infrastructure/data-stack.ts': {
    'table-without-deletion-protection': [
      'the table of production can be deleted',
      '      deletionProtection: !isDisposable(settings),',
      '      deletionProtection: false,',
    ],
    'table-without-restore': [
      'the table cannot be restored to a point in time',
      'pointInTimeRecoveryEnabled: true',
      'pointInTimeRecoveryEnabled: false',
    ],
    'stack-without-termination-protection': [
      'the stack of the data can be deleted',
      '      terminationProtection: !isDisposable(settings),',
      '      terminationProtection: false,',
    ],
    'images-in-the-stream': [
      'the stream has the entities, which its readers must not see',
      'StreamViewType.KEYS_ONLY',
      'StreamViewType.NEW_IMAGE',
    ],
    'logs-kept-for-ever': [
      'the log groups have no retention',
      '          retention: settings.logRetentionDays,\n',
      '',
    ],
  },
  'lib/infrastructure/accounts.ts': {
    'user-pool-without-deletion-protection': [
      'the user pool of production can be deleted',
      '      deletionProtection: !isDisposable(settings),',
      '      deletionProtection: false,',
    ],
    'tenant-that-users-write': [
      'users can write all their attributes, so they can choose their tenant',
      '      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),\n',
      '',
    ],
  },
  'lib/infrastructure/gateway.ts': {
    'route-without-a-scope': [
      'a token without the scope of an operation suffices',
      '        ...(scopeName && { authorizationScopes: [auth.scopeName(scopeName)] }),\n',
      '',
    ],
    'nested-stacks-at-once': [
      'nested stacks change the API at the same time, which API Gateway refuses',
      '    if (previous) stack.addStackDependency(previous);\n',
      '',
    ],
    'all-functions-in-one-stack': [
      'the API stack has the functions of all collections, so it exceeds the limit of a stack',
      '    const collection = collectionOf(route.contract);',
      "    const collection = [collectionOf(route.contract)].find((name) => name === '');",
    ],
  },
  'lib/infrastructure/function-integration.ts': {
    'gateway-that-calls-any-function': [
      'the gateway may call every function of the account',
      'resources: [functionArn]',
      "resources: [functionArn, '*'].slice(-1)",
    ],
  },
  'lib/infrastructure/function-roles.ts': {
    'role-shared-by-different-indexes': [
      'functions that query an index share the role of those that do not',
      '    ...[...indexes].sort(),\n',
      '',
    ],
  },
  'lib/infrastructure/api-stage.ts': {
    'stage-without-throttle': [
      'the requests of all callers together have no limit',
      '    throttle: { rateLimit: throttlingRate, burstLimit: throttlingBurst },\n',
      '',
    ],
    'open-routes-without-a-throttle': [
      'routes without a token have the limit of the others',
      '      ThrottlingRateLimit: Math.min(throttlingRate, rate),',
      '      ThrottlingRateLimit: Math.max(throttlingRate, rate),',
    ],
    'address-in-the-access-log': [
      'the access log has the address of the caller, which is personal data',
      "    path: '$context.path',",
      "    path: '$context.path',\n    address: '$context.identity.sourceIp',",
    ],
  },
  'lib/infrastructure/jobs.ts': {
    'failed-records-of-the-stream-lost': [
      'a record that always fails takes those beside it to the dead letters',
      'bisectBatchOnError: true,',
      'bisectBatchOnError: false,',
    ],
    'every-change-starts-the-job-worker': [
      'each write of a job calls the function of the stream',
      "keysFilter(['INSERT'], FilterRule.isEqual(jobSortKey))",
      "keysFilter(['INSERT', 'MODIFY'], FilterRule.isEqual(jobSortKey))",
    ],
    'failed-schedule-unnoticed': [
      'what the schedule cannot handle reaches no queue',
      '    maxEventAge: Duration.minutes(5),\n    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },\n',
      '    maxEventAge: Duration.minutes(5),\n',
    ],
  },
  'lib/infrastructure/observability.ts': {
    'alarm-without-an-action': [
      'nobody gets a message when an alarm is raised',
      '    alarm.addAlarmAction(new SnsAction(topic));\n',
      '',
    ],
    'alarms-that-may-not-publish': [
      'the topic refuses the messages of alarms',
      "new ServicePrincipal('cloudwatch.amazonaws.com')",
      "new ServicePrincipal('events.amazonaws.com')",
    ],
  },
  'lib/infrastructure/alarmed-symptoms.ts': {
    'stopped-schedule-unnoticed': [
      'missing runs of the schedule raise no alarm',
      '    isTooLittle: true,\n',
      '',
    ],
    'few-failed-requests-unnoticed': [
      'no alarm is raised when the requests of a quiet stage fail',
      'IF(counted >= ${minCounted}, 100, 0)',
      '0',
    ],
  },
  'lib/infrastructure/read-settings.ts': {
    'domain-of-all-stages': [
      'a value that names something of one stage can be that of all stages',
      '.filter((name) => !isEmpty(common[name]))',
      '.filter((name) => isEmpty(name))',
    ],
  },
  'lib/preflight/compare-formats.ts': {
    'format-that-the-deployed-release-cannot-read': [
      'a release is deployed that writes what the deployed functions cannot read',
      'if (!other.reads.includes(writes))',
      'if (other.reads.length === 0)',
    ],
  },
  'lib/preflight/check-deployment.ts': {
    'key-switched-at-once': [
      'the table gets a key that the functions may not use yet',
      'if (next && !others.includes(next))',
      "if (next === 'none')",
    ],
  },
  'lib/infrastructure/backups.ts': {
    'deleted-backups': [
      'the backups of production are deleted with the stack',
      '? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE',
      '? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY',
    ],
  },
  'lib/infrastructure/account-rules.ts': {
    'roles-without-the-boundary': [
      'roles do not have the permissions boundary of the account',
      'if (!permissionsBoundary) return;',
      'if (permissionsBoundary) return;',
    ],
  },
});
