/** A jest reporter that prints, at the end, which kinds of tests ran, with their files, tests and seconds. */

export default class SuiteTimes {
  #kinds = new Map();

  onTestResult({ context }, { numPassingTests, numFailingTests, perfStats }) {
    const name = context.config.displayName?.name ?? '';
    const kind = this.#kinds.get(name) ?? { files: 0, passed: 0, failed: 0, milliseconds: 0 };
    this.#kinds.set(name, kind);
    kind.files += 1;
    kind.passed += numPassingTests;
    kind.failed += numFailingTests;
    kind.milliseconds += perfStats.runtime;
  }

  onRunComplete() {
    for (const [name, { files, passed, failed, milliseconds }] of this.#kinds) {
      const seconds = (milliseconds / 1_000).toFixed(1).padStart(7);
      process.stderr.write(
        `${name.padEnd(15)} ${seconds} s  ${files} files, ${passed} passed, ${failed} failed\n`,
      );
    }
  }
}
