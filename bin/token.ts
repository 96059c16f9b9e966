import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { localToken } from '../lib/cli/local-token.ts';
import { type Outputs, readOutputs, requiredOutput } from '../lib/cli/outputs.ts';
import { tokenHelp, tokenOptions } from '../lib/cli/token-options.ts';
import { machineToken, personToken } from '../lib/cli/tokens.ts';

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

await runCommand('npm run token', async () => {
  const options = tokenOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(tokenHelp);
    return 0;
  }
  if (options.local) {
    console.log(await localToken(options.local));
    return 0;
  }
  const outputs = readOutputs(options.stage);
  const signInUrl = requiredOutput(outputs, 'SignInUrl', 'authentication=cognito, without userPoolId,');
  if (options.machine) {
    const clientId = requiredOutput(outputs, 'MachineClientId', 'machineClient=true');
    console.log(await machineToken(signInUrl, clientId, await readSecret(outputs, clientId)));
    return 0;
  }
  const clientId = requiredOutput(outputs, 'AppClientId', 'callbackUrls');
  const callback = `http://localhost:${options.port}/`;
  if (!requiredOutput(outputs, 'CallbackUrls').split(',').includes(callback)) {
    throw new CommandFailure(`"callbackUrls" does not contain ${callback}. Add it and deploy again.`);
  }
  const onAddress = (address: string): void => console.error(`Open this address in a browser:\n${address}`);
  console.log(await personToken({ signInUrl, clientId, port: options.port, onAddress }));
  return 0;
});
