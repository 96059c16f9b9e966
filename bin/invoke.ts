import { STATUS_CODES } from 'node:http';
import type { Contract } from '../functions/contract/contract.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { type InvokeOptions, invokeHelp, invokeOptions } from '../lib/cli/invoke-options.ts';
import { type Engine, existingEngine, shareEngine } from '../lib/local/dynamodb-engine.ts';
import { type InvokeResult, invokeWithEvent, openFunctions } from '../lib/local/invoke.ts';
import { operationEvent } from '../lib/local/operation-event.ts';
import { usageText } from '../lib/local/request-line.ts';
import { defaultTableName } from '../lib/local/service.ts';

/**
 * Connects to the engine or starts it, and prepares this process.
 * @returns a function that ends both.
 * @throws CommandFailure that says what is wrong with the engine, the database file or the table.
 */
async function open({ endpoint, databaseFile, tableName, request }: InvokeOptions) {
  let engine: Engine | undefined;
  try {
    engine = endpoint ? await existingEngine(endpoint) : await shareEngine(databaseFile);
    const location = { endpoint: engine.endpoint, tableName: tableName ?? defaultTableName };
    const close = await openFunctions(location, request.claims && { tenantClaim: 'tenant' });
    const { stop } = engine;
    return async (): Promise<void> => {
      close();
      await stop();
    };
  } catch (cause) {
    await engine?.stop();
    throw new CommandFailure((cause as Error).message, { cause });
  }
}

/** Prints the response: the body alone on the standard output, for other programs. */
function print(
  { statusCode, headers, body }: InvokeResult<Contract>,
  durationMs: number,
  includesHeaders: boolean,
): void {
  const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`;
  console.error(`${status}, ${Math.round(durationMs)} ms, ${usageText(headers['server-timing'])}`);
  if (includesHeaders)
    for (const [name, value] of Object.entries(headers)) console.error(`${name}: ${value}`);
  if (body !== undefined) console.log(typeof body === 'string' ? body : JSON.stringify(body, null, 2));
}

await runCommand('npm run invoke', async () => {
  const options = invokeOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(invokeHelp());
    return 0;
  }
  const event = operationEvent(options.contract, options.request);
  if (options.isEventOnly) {
    console.log(JSON.stringify(event, null, 2));
    return 0;
  }
  const close = await open(options);
  const started = performance.now();
  try {
    const result = await invokeWithEvent(options.contract, event);
    print(result, performance.now() - started, options.includesHeaders);
    return result.statusCode < 400 ? 0 : 1;
  } finally {
    await close();
  }
});
