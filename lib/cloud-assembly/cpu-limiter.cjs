/**
 * Gives a process a share of one core: `node cpu-limiter.cjs <pid> <share>`. In each period of 20 ms, the process may use its share of CPU
 * time, at any moment of the period. When it has used it up, it is stopped until the next period. This is how the scheduler of Linux limits
 * Lambda functions (CFS bandwidth control), but it needs no control group, which only root can create.
 *
 * Linux counts the CPU time of a running thread at its scheduler ticks, every 1 to 4 ms, so a process can exceed a period by a tick. The excess
 * is taken from the next periods: the average is exact.
 *
 * Plain CommonJS: it starts in 40 ms, before the process that it limits does anything.
 */
const { readdirSync, readFileSync } = require('node:fs');

const pid = Number(process.argv[2]);
const share = Number(process.argv[3]);

const periodMs = 20;
const quotaMs = periodMs * share;

/** Milliseconds between two looks, at least. The process has several threads, so its budget can end before it would on one core. */
const minIntervalMs = 1;

/** CPU time of each thread, in nanoseconds. A thread that has ended keeps its time. */
const threads = new Map();

/** Returns the CPU time of a thread in nanoseconds; undefined when it has just ended. */
function readThread(thread) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
  } catch {
    return undefined;
  }
}

/** Returns the CPU time that the process has used since the last call, in milliseconds. */
function readUsedMs() {
  let used = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const before = threads.get(thread) ?? 0;
    const total = readThread(thread) ?? before;
    used += total - before;
    threads.set(thread, total);
  }
  return used / 1e6;
}

let periodStart = performance.now();
let budgetMs = quotaMs;
let isStopped = false;

/** Ends this process, and lets the other one run: it notices itself that its parent has gone. */
function end() {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended before.
  }
  process.exit(0);
}

function look() {
  try {
    budgetMs -= readUsedMs();
    const periods = Math.floor((performance.now() - periodStart) / periodMs);
    periodStart += periods * periodMs;
    budgetMs = Math.min(quotaMs, budgetMs + periods * quotaMs);
    const mustStop = budgetMs <= 0;
    if (mustStop !== isStopped) process.kill(pid, mustStop ? 'SIGSTOP' : 'SIGCONT');
    isStopped = mustStop;
  } catch {
    end();
  }
  const periodEndMs = periodStart + periodMs - performance.now();
  setTimeout(look, Math.max(minIntervalMs, isStopped ? periodEndMs : Math.min(budgetMs / 2, periodEndMs)));
}

process.on('disconnect', end);
// Ctrl-C reaches all processes of the terminal. The service ends this one.
process.on('SIGINT', () => {});
readUsedMs();
look();
process.send('ready');
