import { toMutations } from './mutation.ts';

export const infrastructureMutations = toMutations({
  'lib/infrastructure/bundle-budget.ts': {
    'bundle-of-any-size': ['if (bundle.bytes > maxBytes)', 'if (bundle.bytes > 2 * maxBytes)'],
    'bundle-with-what-others-run': ['others.test(path) ?', "others.test('') ?"],
    'writes-without-trees-with-lists': [
      "return hasTree ? 'write with a tree'",
      "return resource ? 'write with a tree'",
    ],
  },
  'lib/infrastructure/bundle.ts': {
    'bundles-of-one-folder': ['  absWorkingDir: root,\n', ''],
    'contracts-of-others-in-bundles': ['/* @__PURE__ */ define.', 'define.'],
  },
  'lib/infrastructure/table-access.ts': {
    'permission-without-a-call': [
      'const createActions = (kind: Kind): readonly Action[] => [...writeActions,',
      "const createActions = (kind: Kind): readonly Action[] => ['UpdateItem', ...writeActions,",
    ],
    'call-without-a-permission': ['...(longTextField in fields || unique ?', '...(unique ?'],
  },
  'lib/infrastructure/table-statements.ts': {
    'registry-read-by-requests': ['effect: Effect.DENY,', 'effect: Effect.ALLOW,'],
    'role-of-another-table': [
      '    ...allow(actions, tableArns),',
      "    ...allow(actions, ['*'].slice(tableArns.length - 1)),",
    ],
  },
  'lib/infrastructure/data-stack.ts': {
    'table-without-deletion-protection': [
      '      deletionProtection: !isDisposable(settings),',
      '      deletionProtection: false,',
    ],
    'table-without-restore': ['pointInTimeRecoveryEnabled: true', 'pointInTimeRecoveryEnabled: false'],
    'stack-without-termination-protection': [
      '      terminationProtection: !isDisposable(settings),',
      '      terminationProtection: false,',
    ],
    'images-in-the-stream': ['StreamViewType.KEYS_ONLY', 'StreamViewType.NEW_IMAGE'],
    'logs-kept-for-ever': ['retention: settings.logRetentionDays, ', ''],
  },
  'lib/infrastructure/accounts.ts': {
    'user-pool-without-deletion-protection': [
      '      deletionProtection: !isDisposable(settings),',
      '      deletionProtection: false,',
    ],
    'tenant-that-users-write': [
      '      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),\n',
      '',
    ],
  },
  'lib/infrastructure/gateway.ts': {
    'route-without-a-scope': [
      '        ...(scopeName && { authorizationScopes: [auth.scopeName(scopeName)] }),\n',
      '',
    ],
    'fallback-that-the-gateway-may-not-call': ["resourceName: '*/*'", "resourceName: '*/*/*'"],
    'nested-stacks-at-once': ['    if (previous) stack.addStackDependency(previous);\n', ''],
    'all-functions-in-one-stack': [
      '    const collection = collectionOf(route.contract);',
      "    const collection = [collectionOf(route.contract)].find((name) => name === '');",
    ],
  },
  'lib/infrastructure/function-roles.ts': {
    'role-shared-by-different-indexes': ['    ...[...indexes].sort(),\n', ''],
  },
  'lib/infrastructure/api-stage.ts': {
    'stage-without-throttle': [
      '    throttle: { rateLimit: throttlingRate, burstLimit: throttlingBurst },\n',
      '',
    ],
    'open-routes-without-a-throttle': [
      '      ThrottlingRateLimit: Math.min(throttlingRate, rate),',
      '      ThrottlingRateLimit: Math.max(throttlingRate, rate),',
    ],
    'address-in-the-access-log': [
      "    path: '$context.path',",
      "    path: '$context.path',\n    address: '$context.identity.sourceIp',",
    ],
  },
  'lib/infrastructure/jobs.ts': {
    'failed-records-of-the-stream-lost': ['bisectBatchOnError: true,', 'bisectBatchOnError: false,'],
    'every-change-starts-the-job-worker': [
      "keysFilter(['INSERT'], FilterRule.isEqual(jobSortKey))",
      "keysFilter(['INSERT', 'MODIFY'], FilterRule.isEqual(jobSortKey))",
    ],
    'failed-schedule-unnoticed': [
      '    maxEventAge: Duration.minutes(5),\n    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },\n',
      '    maxEventAge: Duration.minutes(5),\n',
    ],
  },
  'lib/infrastructure/alarms.ts': {
    'alarm-without-an-action': ['    alarm.addAlarmAction(action);\n', ''],
    'urgent-alarms-that-wait': ['(isUrgent && settings.urgentTopicArn)', "(isUrgent && '')"],
    'alarms-that-may-not-publish': [
      "new ServicePrincipal('cloudwatch.amazonaws.com')",
      "new ServicePrincipal('events.amazonaws.com')",
    ],
  },
  'lib/infrastructure/alarmed-symptoms.ts': {
    'stopped-schedule-unnoticed': ['    periods: 2,\n    isTooLittle: true,\n', '    periods: 2,\n'],
    'disabled-mapping-unnoticed': ['FILL(delivered, 0) < 1', 'FILL(delivered, 0) < 0'],
    'few-failed-requests-unnoticed': ['100 * counted / requests, 100))', '100 * counted / requests, 0))'],
  },
  'lib/infrastructure/read-settings.ts': {
    'domain-of-all-stages': ['.filter((name) => !isEmpty(common[name]))', '.filter((name) => isEmpty(name))'],
  },
  'lib/preflight/compare-formats.ts': {
    'format-that-the-deployed-release-cannot-read': [
      'if (!other.reads.includes(writes))',
      'if (other.reads.length === 0)',
    ],
  },
  'lib/rewrite/rewrite-table.ts': {
    'rewrite-over-a-change': [
      'database.putItem(present, rewrite.isUnchanged(item))',
      'database.putItem(present, [rewrite.isUnchanged(item)].at(1))',
    ],
    'changed-item-left-by-a-rewrite': [
      'return changed !== undefined && rewriteItem(database, changed, rewrite);',
      'return changed === item;',
    ],
  },
  'lib/preflight/check-deployment.ts': {
    'key-switched-at-once': ['if (next && !others.includes(next))', "if (next === 'none')"],
  },
  'lib/infrastructure/backups.ts': {
    'deleted-backups': [
      '? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE',
      '? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY',
    ],
  },
  'lib/infrastructure/account-rules.ts': {
    'roles-without-the-boundary': ['if (!permissionsBoundary) return;', 'if (permissionsBoundary) return;'],
  },
});
