/**
 * The environment of test files. jest loads each file, and all that it imports, in a realm of its own. This environment gives the files what
 * `worker.ts` exports, which a worker loads once, with the loader of `npm start`. With the service outside the realms, the contract tests
 * need a fifth less time.
 *
 * jest imports a file with the extension "mjs" without compiling it, so that the loader applies to what the file imports.
 */
import { TestEnvironment } from 'jest-environment-node';
import { register } from 'tsx/esm/api';

register();
const worker = await import('./worker.ts');

/** The environment variables of the worker. A service sets its own in the process, and later files must not inherit them. */
const variables = { ...process.env };

// biome-ignore lint/style/noDefaultExport: jest takes the environment from the default export.
export default class WorkerEnvironment extends TestEnvironment {
  #loadsAgain;

  constructor(config, context) {
    super(config, context);
    const { collectCoverage, watch, watchAll } = config.globalConfig;
    // Coverage counts only the code that a realm loads. In watch mode, one process can run a file before and after a change of the service.
    this.#loadsAgain = collectCoverage || watch || watchAll;
  }

  async setup() {
    await super.setup();
    this.global.outsideRealm = this.#loadsAgain ? { sharedEngine: worker.sharedEngine } : worker;
  }

  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    await super.teardown();
  }
}
