/** Combinations of settings that are synthesized and checked completely. Together they use every setting. */
export const combinations: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default: {},
  production: {
    stage: 'production',
    callbackUrls: 'https://app.example.com/,com.example.app://signed-in',
    machineClient: true,
    alarmEmail: 'ops@example.com',
  },
  open: { authentication: 'none', corsOrigins: 'https://app.example.com' },
  'open production': {
    stage: 'production',
    authentication: 'none',
    allowUnauthenticated: true,
    alarmEmail: 'none',
  },
  'another issuer': {
    authentication: 'https://issuer.example.com/',
    audience: 'api,other',
    tenantClaim: 'org_id',
    stage: 'production',
    alarmEmail: 'ops@example.com',
  },
  'restored table': {
    stage: 'production',
    alarmEmail: 'none',
    machineClient: true,
    tableName: 'restored',
    tableStreamArn:
      'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000',
    backupDays: 90,
  },
  'own domain': {
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/one',
    hostedZoneId: 'Z0123456789',
    documentation: false,
  },
  'own key': {
    region: 'eu-central-1',
    encryptionKey: 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-0000-0000-000000000000',
    tracing: true,
  },
  'account with rules': {
    permissionBoundary: 'arn:aws:iam::123456789012:policy/boundary',
    tags: 'team=platform,cost-centre=42',
    monthlyBudget: 100,
    alarmEmail: 'ops@example.com',
  },
  'existing pool': {
    region: 'eu-central-1',
    userPoolId: 'eu-central-1_a1B2c3D4e',
    audience: 'app,machine',
    requireGroup: true,
  },
  'strict users': {
    requireGroup: true,
    multiFactor: 'required',
    srpSignIn: true,
    logRetentionDays: 365,
    requestMetrics: false,
  },
  'small and silent': {
    multiFactor: 'off',
    throttlingRate: 1,
    throttlingBurst: 1,
    tenantRate: 5,
    jobChangesPerSecond: 20,
    backupDays: 1,
    backupVault: 'earlier',
  },
};
