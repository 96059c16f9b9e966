/** The last release: what this one is compared with. `npm run release -- record` writes it. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Access } from '../infrastructure/table-access.ts';

/** The formats of a release, by stored item. */
export type Formats = Readonly<
  Record<string, { readonly reads: readonly number[]; readonly writes: number }>
>;

/** What a function may do with the default settings. */
export interface FunctionPermissions extends Pick<Access, 'actions' | 'indexes'> {
  /** Permissions beside the table: the action and the resource, as text. */
  readonly others: readonly string[];
}

export interface ReleaseRecord {
  readonly version: string;
  readonly formats: Formats;
  /** By function. */
  readonly permissions: Readonly<Record<string, FunctionPermissions>>;
  /** The keys of the route settings of the gateway's stage. */
  readonly routeSettings: readonly string[];
  /** The release before, with which a further record of the same version is compared. */
  readonly before?: Pick<ReleaseRecord, 'version' | 'formats'> | undefined;
}

const recorded = (name: string): string => fileURLToPath(new URL(`recorded/${name}`, import.meta.url));

export const recordFile = recorded('release.json');

/** The store of the release, with the functions that use it, as one file. */
export const bundleFile = recorded('store.cjs');

const nothing: ReleaseRecord = { version: '', formats: {}, permissions: {}, routeSettings: [] };

/** Returns the last release. Before the first one, nothing is compared. */
export const lastRelease = (): ReleaseRecord =>
  existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, 'utf8')) as ReleaseRecord) : nothing;

/** The inline policy of a role that has what the last release used, and this one does not. */
export const retainedPolicyName = 'lastRelease';
