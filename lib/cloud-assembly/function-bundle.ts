/** Runs the bundle of a function with an environment of its own, as Lambda does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction, constants } from 'node:vm';

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

type Environment = Readonly<Record<string, string>>;

export interface FunctionBundle {
  /** Name in the template. It is also the access key id of the function's credentials. */
  readonly name: string;
  readonly folder: string;
  /** File and export, for example `index.handler`. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly environment: Environment;
}

/** @param env variables that Lambda adds to the function's own. Of those that the function has too, they are the addresses of this machine. */
const environmentOf = (bundle: FunctionBundle, env: Environment): Record<string, string> => ({
  ...env,
  // The IAM proxy identifies the function by its access key id.
  AWS_ACCESS_KEY_ID: bundle.name,
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: 'local',
  AWS_LAMBDA_FUNCTION_NAME: bundle.name,
  LAMBDA_TASK_ROOT: resolve(bundle.folder),
  ...Object.fromEntries(
    Object.entries(bundle.environment).map(([name, value]) => [name, env[name] ?? value]),
  ),
});

/**
 * Loads a bundle. All functions share one process, but each has its own module and a `process` with its own `env`. One
 * process per function would take seconds and gigabytes.
 */
function load({ folder, handler }: FunctionBundle, env: Environment): Handler {
  const [file = '', name = ''] = handler.split('.');
  const path = resolve(folder, `${file}.js`);
  const ownProcess = Object.create(process, { env: { value: env } }) as NodeJS.Process;
  const requireFromPath = createRequire(path);
  const requireModule = (id: string): unknown =>
    /^(?:node:)?process$/.test(id) ? ownProcess : requireFromPath(id);
  const module = { exports: {} as Record<string, Handler> };
  const run = compileFunction(
    readFileSync(path, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname', 'process'],
    // The SDK imports modules of Node.js dynamically when it sends its first request.
    { filename: path, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  ) as (...values: unknown[]) => void;
  run(module.exports, requireModule, module, path, folder, ownProcess);
  const found = module.exports[name];
  if (!found) throw new Error(`${path} does not export "${name}".`);
  return found;
}

/**
 * Returns a function that calls the handler of a bundle. The first call loads the bundle.
 * @param env variables that Lambda adds to the function's own.
 */
export function bundleHandler<Event, Context, Result>(
  bundle: FunctionBundle,
  env: Environment,
): (event: Event, context: Context, calls?: number) => Promise<Result> {
  let handler: Handler | undefined;
  let own: Record<string, string> | undefined;
  return async (event, context, calls = 0) => {
    // Only now is the address of the service known.
    own ??= environmentOf(bundle, env);
    // The SDK adds it to each request. Lambda counts the calls of a chain in it.
    own['_X_AMZN_TRACE_ID'] = `Root=1-00000000-${'0'.repeat(24)};Lineage=1:00000000:${calls}`;
    handler ??= load(bundle, own);
    return (await handler(event, context)) as Result;
  };
}
