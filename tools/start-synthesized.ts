import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { assemblyFunctions } from '../lib/cloud-assembly/assembly-functions.ts';
import { readDeployment, runtimes } from '../lib/cloud-assembly/deployment.ts';
import type { PermissionReport } from '../lib/cloud-assembly/iam-proxy.ts';
import { findNode, isCurrentVersion, majorVersionOf } from '../lib/cloud-assembly/runtime.ts';
import { tokenHelp } from '../lib/cloud-assembly/token-help.ts';
import { CommandFailure, runUntilStopped } from '../lib/command-line/command-line.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { explainStartError, hostedCommand, hostedOptions } from '../lib/command-line/start-options.ts';
import type { Authentication } from '../lib/local/authorizer.ts';
import { isAws } from '../lib/local/engine-environment.ts';
import { startService } from '../lib/local/service.ts';

const runOn = (node: string): Promise<number> =>
  runProgram([node, fileURLToPath(new URL('../bin/pm-api.mjs', import.meta.url)), ...process.argv.slice(2)]);

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

/**
 * Returns the Node.js executable to run on, or undefined when this process can run the functions.
 * @throws Error when the functions need another version, which is not available.
 */
function otherNode(assembly: string, isAnyAllowed: boolean): string | undefined {
  const [major = ''] = runtimes(assembly).map(majorVersionOf);
  if (isAnyAllowed || isCurrentVersion(major)) return undefined;
  const found = findNode(major);
  if (found) return found;
  throw new Error(
    `The functions need Node.js ${major}; this is ${process.versions.node}, and the download of the other failed. ` +
      `Install Node.js ${major}, or run on this one with --any-node.`,
  );
}

/** Prints a warning when the issuer is unreachable. The user pool of the templates may not be deployed. */
async function warnWithoutIssuer(assembly: string, given: Authentication | undefined): Promise<void> {
  const { authentication, routes } = readDeployment(assembly);
  if (!authentication) return;
  const scope = routes.flatMap(({ scopes = [] }) => scopes)[0] ?? '';
  const text = await tokenHelp((given ?? authentication).issuer, scope);
  if (text) console.error(text);
}

export const command = hostedCommand('start-synthesized')
  .description(
    'Runs the cloud assembly that "npm run synth" wrote, on this machine. Routes, environments, bundles, roles and the authorizer are those of the templates. An IAM proxy checks every call to the database against the role of the function.',
  )
  .option('--assembly <folder>', 'folder of the cloud assembly', 'cdk.out')
  .option('--any-node', 'runs on this Node.js, whatever runtime the templates name')
  .option('--without-stream', 'does not read the stream; the schedule runs all jobs')
  .option(
    '--permission-report <file>',
    'file for the used, unused and refused permissions, written at the end',
  )
  .action(async ({ assembly, anyNode = false, withoutStream = false, permissionReport, ...flags }) => {
    const options = hostedOptions(flags);
    const { endpoint } = options;
    if (endpoint && isAws(endpoint))
      throw new InvalidArgumentError(
        `This command does not run on AWS (${endpoint}), because it does not sign requests. Unset DYNAMODB_ENDPOINT.`,
      );
    let service: Awaited<ReturnType<typeof startService>>;
    try {
      const node = otherNode(assembly, anyNode);
      if (node) {
        process.exitCode = await runOn(node);
        return;
      }
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
