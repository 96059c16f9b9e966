/** A function as Lambda runs it: the shipped bundle, with an environment of its own. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction, constants } from 'node:vm';

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

export interface ShippedFunction {
  /** Its name in the template: the id of its credentials, and in reports. */
  readonly name: string;
  /** The folder that would be sent to AWS. */
  readonly folder: string;
  /** `index.handler`: the file, and what of it. */
  readonly handler: string;
  /** `nodejs24.x` */
  readonly runtime: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Loads the bundle. All functions are in one process, but each gets its own module, and a `process` whose `env` is
 * its own, as one `process` for each function would: 41 processes would take seconds and gigabytes.
 */
function load({ folder, handler }: ShippedFunction, env: Readonly<Record<string, string>>): Handler {
  const [file = '', name = ''] = handler.split('.');
  const path = resolve(folder, `${file}.js`);
  const own = Object.create(process, { env: { value: { ...env } } }) as NodeJS.Process;
  const locate = createRequire(path);
  const requireModule = (id: string): unknown => (/^(?:node:)?process$/.test(id) ? own : locate(id));
  const module = { exports: {} as Record<string, Handler> };
  const run = compileFunction(
    readFileSync(path, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname', 'process'],
    // The SDK imports what it needs of Node.js when it first sends something.
    { filename: path, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  ) as (...values: unknown[]) => void;
  run(module.exports, requireModule, module, path, folder, own);
  const found = module.exports[name];
  if (!found) throw new Error(`${path} has no ${name}.`);
  return found;
}

/** What calls the function; it is loaded with the first call. @param env what Lambda adds to its environment. */
export function callable<Event, Context, Result>(
  shipped: ShippedFunction,
  env: Readonly<Record<string, string>>,
): (event: Event, context: Context) => Promise<Result> {
  let handler: Handler | undefined;
  return async (event, context) => {
    handler ??= load(shipped, {
      ...env,
      // The id of a role's credentials says whose they are.
      AWS_ACCESS_KEY_ID: shipped.name,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: 'local',
      AWS_LAMBDA_FUNCTION_NAME: shipped.name,
      LAMBDA_TASK_ROOT: resolve(shipped.folder),
      ...shipped.environment,
    });
    return (await handler(event, context)) as Result;
  };
}
