import { type Client, createClient } from 'project-management-client';
import { defaultHashSha256 } from 'rxdb/plugins/core';
import { accessToken, isSignedIn, signIn } from './sign-in.ts';

/** Returns the name of the database of the user of a token. */
async function databaseOf(token: string): Promise<string> {
  const payload = token.split('.')[1] ?? '';
  const { iss, sub, tenant, ...claims } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  const user = JSON.stringify([iss, sub, tenant, claims['custom:tenant']]);
  return `tasks-${(await defaultHashSha256(user)).slice(0, 32)}`;
}

/** The database of the user who has signed in last, in any window. */
const ownDatabase = (): string | undefined => localStorage.getItem('database') ?? undefined;

/** Ends the session of this window. */
function leave(): Promise<never> {
  sessionStorage.clear();
  location.reload();
  return new Promise(() => {});
}

/**
 * Returns the name of the database that this window opens, if there is one: without a network, also without a session. The copies of other users are
 * erased when a user signs in, and windows that show them end.
 */
export async function databaseFor(
  token: string | undefined,
  isSigningIn: boolean,
): Promise<string | undefined> {
  if (token === undefined) return isSignedIn() || !navigator.onLine ? ownDatabase() : undefined;
  const name = await databaseOf(token);
  if (name === ownDatabase()) return name;
  // The session is older than that of another user.
  if (!isSigningIn) return leave();
  localStorage.clear();
  localStorage.setItem('database', name);
  for (const { name: found = '' } of await indexedDB.databases())
    if (!found.includes(name)) indexedDB.deleteDatabase(found);
  return name;
}

/** Ends the sessions of all windows of the user. The copy stays on the device. */
export const closeDatabase = (): void => localStorage.removeItem('database');

let leaving: Promise<never> | undefined;

/** Leaves for the page of the issuer, once. */
function signInAgain(): Promise<never> {
  leaving ??= signIn()
    .then(() => new Promise<never>(() => {}))
    .finally(() => {
      leaving = undefined;
    });
  return leaving;
}

/** Returns the client of the user of a database, while this is the one who has signed in last. */
export function clientFor(database: string): Client {
  addEventListener('storage', () => {
    if (ownDatabase() !== database) void leave();
  });
  return createClient({
    url: 'http://localhost:3000',
    token: async () => {
      const token = isSignedIn() ? await accessToken() : await signInAgain();
      // The changes of the copy are those of its user.
      return (await databaseOf(token)) === database ? token : leave();
    },
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      // The session has ended.
      if (response.status === 401) signInAgain().catch(() => undefined);
      return response;
    },
  });
}
