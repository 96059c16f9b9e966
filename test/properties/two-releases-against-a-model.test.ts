import { seeded } from '../faults/engine-proxy.ts';
import { smallSizes } from '../support/compaction.ts';
import { startReleases } from '../support/releases.ts';
import { runs } from '../support/runs.ts';
import { testSequences } from './list-sequences.ts';

/**
 * The last release and this one on one table, as during a deployment and after it. Lists are compared with the model, whichever release wrote and
 * compacted what they read.
 */

/** Requests of a sequence after which the next release takes all of them. */
const requestsBeforeTheNext = 25;

/** Returns whether this release takes a request. @param number of the request in its sequence. @param random from 0 to 1. */
type Choice = (number: number, random: () => number) => boolean;

function testReleases(condition: string, isForThis: Choice): void {
  testSequences(condition, {
    count: Number(process.env['SEQUENCES'] ?? runs(2, 6)),
    maxSteps: runs(50, 120),
    start: async (seed, authentication) => {
      const { running, tableName, stop } = await startReleases({ authentication });
      const [last, own] = running;
      const random = seeded(seed);
      /** By token: each sequence has its own. */
      const counts = new Map<string, number>();
      return {
        send: (method, path, body, headers) => {
          const caller = headers?.['authorization'] ?? '';
          const number = counts.get(caller) ?? 0;
          counts.set(caller, number + 1);
          return (isForThis(number, random) ? own : last).send(method, path, body, headers);
        },
        compact: async (tenant, kind) => {
          const log = { tableName, tenant, kind, nowMs: Date.now(), sizes: smallSizes };
          // Both at the same time: of two steps, the slower one is applied to the manifest of the other.
          await Promise.all(running.map(({ release }) => release.compactAll(log)));
        },
        stop,
      };
    },
  });
}

testReleases('while both releases take requests and compact', (_, random) => random() < 0.5);
testReleases('when this release follows the last one', (number) => number >= requestsBeforeTheNext);
testReleases('when the last release follows this one', (number) => number < requestsBeforeTheNext);
