/**
 * The entities that `npm run verify` created in a deployment. The tests write each path to a file at once, so that an interrupted run
 * can be cleaned up, by itself or by the next run.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from './command-line.ts';

export const journalVariable = 'CREATED_ENTITIES';

export const journalOf = (url: string): string =>
  `.outputs/verify-${new URL(url).host.replaceAll(':', '-')}.txt`;

/** Returns the file that tells the tests to create nothing more. A killed test could have a request in progress that creates an entity. */
export const stopFileOf = (journal: string): string => `${journal}.stop`;

const concurrency = 8;

/**
 * Deletes the entities in the file, and then the file.
 * @returns the number of deleted entities.
 * @throws CommandFailure when an entity cannot be deleted. The file stays for the next run.
 */
export async function removeCreated(
  url: string,
  token: string | undefined,
  file = journalOf(url),
): Promise<number> {
  if (!existsSync(file)) return 0;
  const paths = [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))];
  let deleted = 0;
  await forEach(paths, concurrency, async (path) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const { status } = await fetch(url + path, { method: 'DELETE', headers });
    if (status === 204) deleted += 1;
    else if (status !== 404) {
      throw new CommandFailure(
        `DELETE ${path} returned ${status}. Run the command again to delete the rest.`,
      );
    }
  });
  rmSync(file);
  return deleted;
}
