/**
 * The environment of test files with a mutation: it loads the service for each file, and stops at the first failing test, or when that
 * of the global `until` has passed. jest's own option `bail` ends the process, and only after all tests of a file.
 */
import WorkerEnvironment from '../support/worker-environment.mjs';

/** Returns the name of a test in the report of jest. The outermost block has no title. */
const fullName = ({ name, parent }) =>
  parent ? [...(parent.parent ? [fullName(parent)] : []), name].join(' ') : name;

// biome-ignore lint/style/noDefaultExport: jest takes the environment from the default export.
export default class MutationEnvironment extends WorkerEnvironment {
  #isDone = false;
  #until;

  constructor(config, context) {
    const { mutation, until } = config.projectConfig.globals;
    if (mutation) {
      // For programs that tests start. WorkerEnvironment removes the variables.
      process.env.MUTATION = JSON.stringify(mutation);
      process.env.NODE_OPTIONS = `--import ${new URL('module-hooks.mjs', import.meta.url)}`;
    }
    super(config, context);
    this.#until = until;
  }

  async setup() {
    await super.setup();
    // jest cannot load programs and the issuer of tokens.
    const { sharedEngine, runInProcess, startSignIn } = this.global.workerModules;
    this.global.workerModules = { sharedEngine, runInProcess, startSignIn };
  }

  handleTestEvent(event) {
    super.handleTestEvent(event);
    const { name, test, describeBlock } = event;
    if (name === 'test_done') {
      this.#isDone ||=
        test.errors.length > 0 || (this.#until !== undefined && fullName(test).endsWith(this.#until));
    }
    if (this.#isDone && name === 'test_start') test.mode = 'skip';
    if (name === 'test_fn_start') process.send?.({ startedTest: fullName(test) });
    if (this.#isDone && name === 'run_describe_start') describeBlock.mode = 'skip';
  }
}
