/** `npm run verify`: holds any deployment against the contract. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../lib/cli/command-line.ts';
import { verifyHelp, verifyOptions } from '../lib/cli/verify-options.ts';
import { ApiClient, ServerError } from '../lib/seed/api-client.ts';

await runCommand('npm run verify', async () => {
  const options = verifyOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(verifyHelp);
    return 0;
  }
  const { url, token, only = '' } = options;
  try {
    await new ApiClient(url).check();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    console.error(error.message);
    return 1;
  }
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const suites = spawn(process.execPath, [jest, '--verbose', `test/contract/.*${only}`], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, BASE_URL: url, ...(token && { TOKEN: token }) },
  });
  const [code] = (await once(suites, 'exit')) as [number | null];
  return code ?? 1;
});
