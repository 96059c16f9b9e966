import type { Mutation } from './mutation.ts';

const api = ['test/infrastructure/api-stack.test.ts'];
const facts = ['test/infrastructure/facts.test.ts'];
const alarms = ['test/infrastructure/observability.test.ts'];

const access = 'lib/infrastructure/table-access.ts';
const dataStack = 'lib/infrastructure/data-stack.ts';
const gateway = 'lib/infrastructure/gateway.ts';
const jobs = 'lib/infrastructure/jobs.ts';
const accounts = 'lib/infrastructure/accounts.ts';

export const infrastructureMutations: readonly Mutation[] = [
  {
    name: 'permission-without-a-call',
    description: 'the functions that create entities may change items in a way that no code does',
    file: access,
    search: 'const createActions = (kind: Kind): readonly Action[] => [...writeActions,',
    replacement: "const createActions = (kind: Kind): readonly Action[] => ['UpdateItem', ...writeActions,",
    detectedBy: ['test/infrastructure/start-synthesized.test.ts'],
  },
  {
    name: 'call-without-a-permission',
    description: 'the functions that delete an entity may not let its long text expire',
    file: access,
    search: "  longTextField in fields ? ['UpdateItem'] : [];",
    replacement: "  longTextField in fields && fields === undefined ? ['UpdateItem'] : [];",
    detectedBy: ['test/infrastructure/start-synthesized.test.ts'],
  },
  {
    name: 'role-of-another-table',
    description: 'every role allows the operations on all tables of the account',
    file: 'lib/infrastructure/table-statements.ts',
    search: '    ...allow(actions, tableArns),',
    replacement: "    ...allow(actions, ['*'].slice(tableArns.length - 1)),",
    detectedBy: api,
  },
  {
    name: 'table-without-deletion-protection',
    description: 'the table of production can be deleted',
    file: dataStack,
    search: '      deletionProtection: !isDisposable(settings),',
    replacement: '      deletionProtection: false,',
    detectedBy: facts,
  },
  {
    name: 'table-without-restore',
    description: 'the table cannot be restored to a point in time',
    file: dataStack,
    search: 'pointInTimeRecoveryEnabled: true',
    replacement: 'pointInTimeRecoveryEnabled: false',
    detectedBy: facts,
  },
  {
    name: 'stack-without-termination-protection',
    description: 'the stack of the data can be deleted',
    file: dataStack,
    search: '      terminationProtection: !isDisposable(settings),',
    replacement: '      terminationProtection: false,',
    detectedBy: facts,
  },
  {
    name: 'images-in-the-stream',
    description: 'the stream has the entities, which its readers must not see',
    file: dataStack,
    search: 'StreamViewType.KEYS_ONLY',
    replacement: 'StreamViewType.NEW_IMAGE',
    detectedBy: facts,
  },
  {
    name: 'logs-kept-for-ever',
    description: 'the log groups have no retention',
    file: dataStack,
    search: '          retention: settings.logRetentionDays,\n',
    replacement: '',
    detectedBy: facts,
  },
  {
    name: 'user-pool-without-deletion-protection',
    description: 'the user pool of production can be deleted',
    file: accounts,
    search: '      deletionProtection: !isDisposable(settings),',
    replacement: '      deletionProtection: false,',
    detectedBy: facts,
  },
  {
    name: 'tenant-that-users-write',
    description: 'users can write all their attributes, so they can choose their tenant',
    file: accounts,
    search: '      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),\n',
    replacement: '',
    detectedBy: facts,
  },
  {
    name: 'route-without-a-scope',
    description: 'a token without the scope of an operation suffices',
    file: gateway,
    search: '          ...(scopeName && { authorizationScopes: [auth.scopeName(scopeName)] }),\n',
    replacement: '',
    detectedBy: api,
  },
  {
    name: 'function-that-any-path-calls',
    description: 'the gateway may call a function for every path',
    file: gateway,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text.
    search: '/*/*${path}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text.
    replacement: "/*/*${path && '*'}`",
    detectedBy: api,
  },
  {
    name: 'stage-without-throttle',
    description: 'the requests of all callers together have no limit',
    file: 'lib/infrastructure/api-stage.ts',
    search: '    throttle: { rateLimit: throttlingRate, burstLimit: throttlingBurst },\n',
    replacement: '',
    detectedBy: facts,
  },
  {
    name: 'open-routes-without-a-throttle',
    description: 'routes without a token have the limit of the others',
    file: 'lib/infrastructure/api-stage.ts',
    search: '      ThrottlingRateLimit: Math.min(throttlingRate, rate),',
    replacement: '      ThrottlingRateLimit: Math.max(throttlingRate, rate),',
    detectedBy: api,
  },
  {
    name: 'address-in-the-access-log',
    description: 'the access log has the address of the caller, which is personal data',
    file: 'lib/infrastructure/api-stage.ts',
    search: "    path: '$context.path',",
    replacement: "    path: '$context.path',\n    address: '$context.identity.sourceIp',",
    detectedBy: facts,
  },
  {
    name: 'failed-records-of-the-stream-lost',
    description: 'a record that always fails takes those beside it to the dead letters',
    file: jobs,
    search: 'bisectBatchOnError: true,',
    replacement: 'bisectBatchOnError: false,',
    detectedBy: facts,
  },
  {
    name: 'every-change-starts-the-job-worker',
    description: 'each write of a job calls the function of the stream',
    file: jobs,
    search: "keysFilter(['INSERT'], FilterRule.isEqual(jobSortKey))",
    replacement: "keysFilter(['INSERT', 'MODIFY'], FilterRule.isEqual(jobSortKey))",
    detectedBy: facts,
  },
  {
    name: 'failed-schedule-unnoticed',
    description: 'what the schedule cannot handle reaches no queue',
    file: jobs,
    search:
      '    maxEventAge: Duration.minutes(5),\n    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },\n',
    replacement: '    maxEventAge: Duration.minutes(5),\n',
    detectedBy: facts,
  },
  {
    name: 'alarm-without-an-action',
    description: 'nobody gets a message when an alarm is raised',
    file: 'lib/infrastructure/observability.ts',
    search: '    alarm.addAlarmAction(new SnsAction(topic));\n',
    replacement: '',
    detectedBy: alarms,
  },
  {
    name: 'alarms-that-may-not-publish',
    description: 'the topic refuses the messages of alarms',
    file: 'lib/infrastructure/observability.ts',
    search: "new ServicePrincipal('cloudwatch.amazonaws.com')",
    replacement: "new ServicePrincipal('events.amazonaws.com')",
    detectedBy: alarms,
  },
  {
    name: 'stopped-schedule-unnoticed',
    description: 'missing runs of the schedule raise no alarm',
    file: 'lib/infrastructure/alarmed-symptoms.ts',
    search: '    isTooLittle: true,\n',
    replacement: '',
    detectedBy: alarms,
  },
  {
    name: 'deleted-backups',
    description: 'the backups of production are deleted with the stack',
    file: 'lib/infrastructure/backups.ts',
    search: 'isDisposable(settings) ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN',
    replacement: 'isDisposable(settings) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY',
    detectedBy: facts,
  },
  {
    name: 'roles-without-the-boundary',
    description: 'roles do not have the permission boundary of the account',
    file: 'lib/infrastructure/account-rules.ts',
    search: 'if (!permissionBoundary) return;',
    replacement: 'if (permissionBoundary) return;',
    detectedBy: facts,
  },
];
