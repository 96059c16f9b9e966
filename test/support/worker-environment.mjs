/**
 * The environment of test files. jest loads each file, and all that it imports, in a realm of its own. This environment gives the files what
 * `worker.ts` exports, which a worker loads once, with the loader of `npm start`. With the service outside the realms, the contract tests
 * need a fifth less time.
 *
 * jest imports a file with the extension "mjs" without compiling it, so that the loader applies to what the file imports.
 */
import asyncHooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';
import { register } from 'tsx/esm/api';

register();
const worker = await import('./worker.ts');

/** Ends a worker whose run was killed. jest lets it go on to the end of the file, or for ever when a test hangs. */
const end = () => process.exit(1);

/** The environment variables of the worker. A service sets its own in the process, and later files must not inherit them. */
const variables = { ...process.env };

const { AsyncLocalStorage } = asyncHooks;

/**
 * Stands for the storage in which jest-circus keeps the running test: tests run one after the other. jest-circus makes a storage for each file and
 * never ends it, and before Node.js 24 each promise of a process costs time for each storage that any file made before.
 */
class RunningTest {
  #store;

  getStore() {
    return this.#store;
  }

  run(store, callback) {
    const before = this.#store;
    const restore = () => {
      this.#store = before;
    };
    this.#store = store;
    return callback().finally(restore);
  }
}

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
    process.once('disconnect', end);
    this.global.outsideRealm = this.#loadsAgain ? { sharedEngine: worker.sharedEngine } : worker;
    asyncHooks.AsyncLocalStorage = RunningTest;
  }

  /** Called by jest-circus as soon as it is loaded. */
  handleTestEvent({ name }) {
    if (name === 'setup') asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }

  async teardown() {
    // The listener would keep the process of a finished worker alive.
    process.off('disconnect', end);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    await super.teardown();
  }
}
