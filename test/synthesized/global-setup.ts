import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { findNode } from '#lib/cloud-assembly/runtime.ts';
import { defaultTenantRate } from '#lib/hosting/functions.ts';
import { resourceServer } from '#lib/hosting/scopes.ts';
import { bundleFunctions } from '#lib/infrastructure/bundle.ts';
import { service } from '#lib/infrastructure/service.ts';
import { app } from '../infrastructure/app.ts';
import { audience, startIssuer } from '../support/issuer.ts';
import { writeConfiguration } from './configuration.ts';
import { toEnvironment } from './synthesized-service.ts';

/** Synthesizes the stacks once, and starts an issuer whose tokens their authorizer accepts. `AUTHENTICATION` selects the stacks. */
export default async function setUp(): Promise<void> {
  const authentication = process.env['AUTHENTICATION'] ?? 'cognito';
  const folder = mkdtempSync(join(tmpdir(), 'synthesized-'));
  const [assembly, reports] = [join(folder, 'cdk.out'), join(folder, 'reports')];
  mkdirSync(reports);
  // The limit of a stage that is not disposable adds its permissions to the roles. No test reaches it.
  // With the bus, the function that compacts logs also publishes.
  const stacks = app(assembly, { authentication, tenantRate: defaultTenantRate, eventBus: true });
  service(stacks, await bundleFunctions(join(folder, 'functions')));
  stacks.synth();

  const issuer = await startIssuer();
  const scopes = routes.flatMap(({ contract }) => scopeOf(contract) ?? []);
  const scope = scopes.map((name) => `${resourceServer}/${name}`).join(' ');
  writeConfiguration(join(folder, 'configuration.json'), {
    folder,
    authentication,
    environment: {
      ...toEnvironment({ assembly, node: findNode('24') ?? process.execPath, reports }),
      ...(authentication !== 'none' && { TOKEN: await issuer.token({ scope }) }),
      AUTHENTICATION_ISSUER: issuer.url,
      AUTHENTICATION_AUDIENCE: audience,
    },
  });
  Object.assign(globalThis, { stopSynthesizedIssuer: issuer.stop });
}
