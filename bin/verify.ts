/** `npm run verify`: runs the contract tests against a deployment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createClient } from '../client/index.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { requireService } from '../lib/cli/require-service.ts';
import { verifyHelp, verifyOptions } from '../lib/cli/verify-options.ts';

await runCommand('npm run verify', async () => {
  const options = verifyOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(verifyHelp);
    return 0;
  }
  const { url, token, only = '' } = options;
  await requireService(createClient({ url, token }), url);
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const suites = spawn(process.execPath, [jest, '--verbose', `test/contract/.*${only}`], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, BASE_URL: url, ...(token && { TOKEN: token }) },
  });
  const [code] = (await once(suites, 'exit')) as [number | null];
  return code ?? 1;
});
