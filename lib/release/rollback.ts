/** Decides whether a deployment may be rolled back by itself: to a commit that can use the table as it is then. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { incompatibleFormats } from './compare-formats.ts';
import type { Formats } from './last-release.ts';

/** What decides it, of the working tree of a commit. */
interface Commit {
  readonly formats: Formats;
  /** The shape of the table. */
  readonly table: unknown;
  /** The settings in `cdk.json`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

async function readCommit(folder: string): Promise<Commit> {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(join(folder, 'functions/store/model', file)).href);
  const { formats } = (await load('formats.ts')) as { readonly formats: Formats };
  const { table } = (await load('table.ts')) as { readonly table: unknown };
  const { context } = JSON.parse(readFileSync(join(folder, 'cdk.json'), 'utf8')) as {
    readonly context: Commit['settings'];
  };
  return { formats, table, settings: context };
}

/**
 * Returns why a deployment must not be rolled back by itself, a sentence each.
 * @param from the folder of the commit that is deployed.
 * @param to the folder of the commit that would be deployed.
 * @throws Error when one of them cannot be read: then a person decides.
 */
export async function rollbackRefusals(from: string, to: string): Promise<string[]> {
  const [deployed, earlier] = [await readCommit(from), await readCommit(to)];
  const isOtherTable = ['tableName', 'tableStreamArn'].some(
    (name) => (deployed.settings[name] ?? '') !== (earlier.settings[name] ?? ''),
  );
  return [
    ...(isOtherTable ? ['The commit before uses another table, without the writes since.'] : []),
    ...(isDeepStrictEqual(deployed.table, earlier.table) ? [] : ['The shape of the table has changed.']),
    ...incompatibleFormats(earlier.formats, deployed.formats).map(
      (reason) => `A format has changed. ${reason}`,
    ),
  ];
}
