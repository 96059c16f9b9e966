/**
 * The entities that `npx pm-api verify` created in a deployment. The tests write each path to a file at once, so that an interrupted run
 * can be cleaned up, by itself or by the next run.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from '../command-line/command-line.ts';

export const journalVariable = 'CREATED_ENTITIES';

export const journalOf = (url: string): string =>
  `.outputs/verify-${new URL(url).host.replaceAll(':', '-')}.txt`;

/** Returns the file that tells the tests to create nothing more. A killed test could have a request in progress that creates an entity. */
export const stopFileOf = (journal: string): string => `${journal}.stop`;

const concurrency = 8;

/** Attempts to delete an entity, at most, when the service asks to wait. */
const maxAttempts = 10;

/** Deletes an entity. Waits while the service asks for it: a tenant has a limited number of unfinished deletions. Returns the status. */
async function remove(url: string, headers: Record<string, string>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { method: 'DELETE', headers });
    if (response.status !== 429 || attempt === maxAttempts) return response.status;
    await delay(1_000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

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
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const status = await remove(url + path, headers);
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
