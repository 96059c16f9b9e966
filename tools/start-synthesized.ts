import { writeFileSync } from 'node:fs';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { assemblyFunctions } from '../lib/cloud-assembly/assembly-functions.ts';
import { readDeployment } from '../lib/cloud-assembly/deployment.ts';
import type { PermissionReport } from '../lib/cloud-assembly/iam-proxy.ts';
import { CommandFailure, runUntilStopped } from '../lib/command-line/command-line.ts';
import { explainStartError, hostedCommand, hostedOptions } from '../lib/command-line/start-options.ts';
import type { Authentication } from '../lib/local/authorizer.ts';
import { isAws } from '../lib/local/engine-environment.ts';
import { checkIssuer } from '../lib/local/issuer.ts';
import { startService } from '../lib/local/service.ts';

function summary(reports: readonly PermissionReport[]): string {
  const lines = (title: string, field: 'refused' | 'unused'): string[] => {
    const found = reports.flatMap((report) =>
      report[field].map((permission) => `  ${report.function}: ${permission}`),
    );
    return [`${title}: ${found.length}`, ...found];
  };
  return [
    ...lines('Calls that no role allows', 'refused'),
    ...lines('Permissions that were not used', 'unused'),
  ].join('\n');
}

/** Prints a warning when the issuer is unreachable. The user pool of the templates may not be deployed. */
async function warnWithoutIssuer(assembly: string, given: Authentication | undefined): Promise<void> {
  const { authentication } = readDeployment(assembly);
  if (!authentication) return;
  await checkIssuer((given ?? authentication).issuer).catch(({ message }: Error) => {
    console.error(
      `Tokens cannot be verified: ${message}. Requests that need one get the response 401. Name an issuer with --authentication-issuer and --authentication-audience, or synthesize without one: npm run synth -- -c authentication=none`,
    );
  });
}

export const command = hostedCommand('start-synthesized')
  .description(
    'Runs the cloud assembly that "npm run synth" wrote, on this machine. Routes, environments, bundles, roles and the authorizer are those of the templates. An IAM proxy checks every call to the database against the role of the function.',
  )
  .option('--assembly <folder>', 'folder of the cloud assembly', 'cdk.out')
  .option('--without-stream', 'does not read the stream; the schedule runs all jobs')
  .option(
    '--permission-report <file>',
    'file for the used, unused and refused permissions, written at the end',
  )
  .action(async ({ assembly, withoutStream = false, permissionReport, ...flags }) => {
    const options = hostedOptions(flags);
    const { endpoint } = options;
    if (endpoint && isAws(endpoint))
      throw new InvalidArgumentError(
        `This command does not run on AWS (${endpoint}), because it does not sign requests. Unset DYNAMODB_ENDPOINT.`,
      );
    let service: Awaited<ReturnType<typeof startService>>;
    try {
      const onPermissionReport = (reports: PermissionReport[]): void => {
        console.log(summary(reports));
        if (permissionReport) writeFileSync(permissionReport, JSON.stringify(reports, null, 2));
      };
      await warnWithoutIssuer(assembly, options.authentication);
      const functions = assemblyFunctions({ assembly, withoutStream, onPermissionReport });
      service = await startService(options, functions);
    } catch (cause) {
      throw new CommandFailure(explainStartError(cause, options), { cause });
    }
    await runUntilStopped(service, () => {
      console.log(`The synthesized API listens on ${service.url} (${service.engine}, Node.js ${process.versions.node}).
Stop: Ctrl-C`);
    });
  });
