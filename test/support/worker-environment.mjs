/**
 * The environment of test files. jest gives each file a realm (a context of `node:vm`) of its own, in which each use of a global name, such as
 * `Math` or `Promise`, is a call of jest: the same code needs up to three times the CPU, and `instanceof Error` is false for errors of Node.js.
 * Here, all files of a worker have the realm of Node.js. Each file still loads its own modules.
 *
 * `worker.ts` is loaded once for all files of a worker, with the loader of `npm start`. jest imports a file with the extension "mjs" without
 * compiling it, so that the loader applies to what the file imports.
 */
import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { register } from 'tsx/esm/api';

register();
const worker = await import('./worker.ts');

/** Stands for the realm of Node.js, which no object represents. jest compiles each module for the context that its environment returns. */
const realmOfNode = {};

const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options } = {}) =>
  compileFunction(code, parameters, {
    ...options,
    ...(parsingContext !== realmOfNode && { parsingContext }),
  });

/** Ends a worker whose run was killed. jest lets it go on to the end of the file, or for ever when a test hangs. */
const end = () => process.exit(1);

/** The environment variables of the worker. A service sets its own in the process, and later files must not inherit them. */
const variables = { ...process.env };

/** The symbols under which jest-circus keeps its state. With those of earlier files, it would tell them of the tests of later ones. */
const isOfCircus = (name) =>
  typeof name === 'symbol' && /^(?:EVENT_HANDLERS|JEST_STATE_SYMBOL)$/.test(name.description ?? '');

const { console } = globalThis;

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
    // Coverage counts only the code that a file loads. In watch mode, one process can run a file before and after a change of the service.
    this.#loadsAgain = collectCoverage || watch || watchAll;
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({
      config: config.projectConfig,
      global: globalThis,
    });
    Error.stackTraceLimit = 100;
  }

  getVmContext() {
    return realmOfNode;
  }

  async setup() {
    await super.setup();
    process.once('disconnect', end);
    this.global.workerModules = this.#loadsAgain ? { sharedEngine: worker.sharedEngine } : worker;
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
    this.global.console = console;
    for (const name of Reflect.ownKeys(globalThis))
      if (isOfCircus(name)) Reflect.deleteProperty(globalThis, name);
    await super.teardown();
  }
}
