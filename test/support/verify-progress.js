/** A jest reporter that prints the progress of a run after each file, and an estimate of the time that is left. */

/** Returns a duration as text: `40 s`, `3 min`. */
export const durationText = (milliseconds) => {
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
};

/** Returns the line after a file. All files are taken to need as long as those so far. */
export const progressText = (done, total, elapsedMs) => {
  const left =
    done < total ? `about ${durationText((elapsedMs / done) * (total - done))} left` : 'no time left';
  return `${done} of ${total} files, ${Math.floor((100 * done) / total)} %, ${left}`;
};

export default class VerifyProgress {
  #started = Date.now();

  onRunStart({ numTotalTestSuites }) {
    this.#started = Date.now();
    process.stderr.write(`${numTotalTestSuites} files\n`);
  }

  onTestResult(_test, _result, { numPassedTestSuites, numFailedTestSuites, numTotalTestSuites }) {
    const done = numPassedTestSuites + numFailedTestSuites;
    process.stderr.write(`${progressText(done, numTotalTestSuites, Date.now() - this.#started)}\n`);
  }
}
