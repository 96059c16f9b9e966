import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { roles } from '../functions/authentication/roles.ts';
import { allProjectsScope } from '../functions/contract/scopes.ts';
import { CommandFailure, httpAddress, wholeNumber } from '../lib/command-line/command-line.ts';
import { defaultStage, type Outputs, readOutputs, requiredOutput } from '../lib/command-line/outputs.ts';
import { urlOption } from '../lib/command-line/service-options.ts';
import { apiScopes } from '../lib/hosting/scopes.ts';
import { proposed } from '../lib/tokens/local-grant.ts';
import { issuerOf, localToken } from '../lib/tokens/local-token.ts';
import { machineToken, personToken } from '../lib/tokens/tokens.ts';

async function readSecret(outputs: Outputs, clientId: string): Promise<string> {
  const args = ['cognito-idp', 'describe-user-pool-client', '--client-id', clientId];
  args.push('--user-pool-id', requiredOutput(outputs, 'UserPoolId'));
  args.push('--region', requiredOutput(outputs, 'Region'));
  args.push('--query', 'UserPoolClient.ClientSecret', '--output', 'text');
  try {
    return (await promisify(execFile)('aws', args)).stdout.trim();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the AWS CLI ("aws") is not installed' : message;
    throw new CommandFailure(`The secret of the machine client cannot be read: ${reason}`, { cause });
  }
}

/** Returns a parser of a repeatable option with known values. */
const known =
  (values: readonly string[]) =>
  (text: string, before: readonly string[] = []): readonly string[] => {
    if (values.includes(text)) return [...before, text];
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };

const local = new Command('local')
  .description(
    'Prints a token of the issuer that "npm start -- --sign-in" runs on this machine, without a browser.',
  )
  .addOption(urlOption())
  .option('--issuer <url>', 'address of the issuer; default: that of the service', httpAddress)
  .option('--tenant <name>', 'tenant of the token', proposed.tenant)
  .option('--subject <name>', 'subject of the token', proposed.subject)
  .option(
    '--role <name>',
    `${Object.keys(roles).join(', ')}; repeatable. Default: none, which allows all scopes but all-projects`,
    known(Object.keys(roles)),
    [],
  )
  .option('--scope <name>', 'for example tasks:read; repeatable. Default: all', known(apiScopes))
  .action(async ({ url, issuer, role: roles, scope: scopes = [], ...names }) => {
    if (scopes.includes(allProjectsScope) && !roles.includes('admin'))
      throw new InvalidArgumentError(`The scope "${allProjectsScope}" needs --role admin.`);
    const found = issuer ?? (await issuerOf(url));
    if (found !== undefined) console.log(await localToken(found, { ...names, roles, scopes }));
    else
      throw new CommandFailure(
        `No issuer runs beside ${url}. Start it with npm start -- --sign-in, or name another service with --url.`,
      );
  });

export const command = new Command('token')
  .description(
    'Prints an access token of a deployment with Cognito, where a person signs in in a browser on this machine.',
  )
  .option('--stage <name>', 'stage of the deployment', defaultStage)
  .option(
    '--machine',
    'prints a token of the machine client. It needs the AWS CLI, with credentials that may read the secret of the client',
  )
  .addOption(
    new Option(
      '--port <number>',
      'port of this machine that the sign-in page redirects to. "callbackUrls" must contain http://localhost:<port>/',
    )
      .default(8_976)
      .argParser(wholeNumber(1, 65_535)),
  )
  .action(async ({ stage, machine, port }) => {
    const outputs = readOutputs(stage);
    const signInUrl = requiredOutput(outputs, 'SignInUrl', 'authentication=cognito, without userPoolId,');
    if (machine) {
      const clientId = requiredOutput(outputs, 'MachineClientId', 'machineClient=true');
      console.log(await machineToken(signInUrl, clientId, await readSecret(outputs, clientId)));
      return;
    }
    const clientId = requiredOutput(outputs, 'AppClientId', 'callbackUrls');
    const callback = `http://localhost:${port}/`;
    if (!requiredOutput(outputs, 'CallbackUrls').split(',').includes(callback)) {
      throw new CommandFailure(`"callbackUrls" does not contain ${callback}. Add it and deploy again.`);
    }
    const onAddress = (address: string): void => console.error(`Open this address in a browser:\n${address}`);
    console.log(await personToken({ signInUrl, clientId, port, onAddress }));
  })
  .addCommand(local);
