/**
 * The entities that `npx pm-api verify` created in a deployment. The tests write each path to a file at once, so that an interrupted run
 * can be cleaned up, by itself or by the next run.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Connection } from '../../client/connection.ts';
import { isProblem } from '../../client/problems.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from '../command-line/command-line.ts';

export const journalVariable = 'CREATED_ENTITIES';

export const journalOf = (url: string): string =>
  `.outputs/verify-${new URL(url).host.replaceAll(':', '-')}.txt`;

/** Returns the file that tells the tests to create nothing more. A killed test could have a request in progress that creates an entity. */
export const stopFileOf = (journal: string): string => `${journal}.stop`;

const concurrency = 8;

/** Attempts to delete an entity, at most: a tenant has a limited number of unfinished deletions, and the service asks to wait. */
const tries = 10;

/**
 * Deletes the entities in the file, and then the file.
 * @returns the number of deleted entities.
 * @throws CommandFailure when an entity cannot be deleted. The file stays for the next run.
 */
export async function removeCreated(url: string, token: string | undefined, file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const connection = new Connection({ url, token, tries });
  const paths = [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))];
  let deleted = 0;
  await forEach(paths, concurrency, async (path) => {
    try {
      await connection.send({ method: 'DELETE', path });
      deleted += 1;
    } catch (cause) {
      if (isProblem(cause, 'not-found')) return;
      const message = `DELETE ${path} failed: ${(cause as Error).message}. Run the command again to delete the rest.`;
      throw new CommandFailure(message, { cause });
    }
  });
  rmSync(file);
  return deleted;
}
