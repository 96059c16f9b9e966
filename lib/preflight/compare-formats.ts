/**
 * Compares the stored formats of two releases: each must read what the other one writes, during a deployment and after a rollback. And a release must read
 * what the releases before it have left in the table.
 */
import { firstFormat, formats } from '../../functions/engine/model/stored-format.ts';
import { kindsInTable } from '../rewrite/lowest-formats.ts';

/** The formats of a release by stored item, as the template of the data stack has them in its metadata. */
export type ReleaseFormats = Readonly<
  Record<string, { readonly reads: readonly number[]; readonly writes: number }>
>;

/**
 * Returns why a release cannot follow the deployed one, a sentence for each stored item. An item that one of them does not know is none that it reads.
 * @param deployed the formats of the deployed release.
 */
export function formatRefusals(deployed: ReleaseFormats, own: ReleaseFormats = formats): string[] {
  return Object.entries(own).flatMap(([item, { reads, writes }]) => {
    const other = deployed[item];
    if (!other) return [];
    const refusals: string[] = [];
    if (!other.reads.includes(writes))
      refusals.push(
        `This release writes the format ${writes} of a stored item (${item}), and the deployed release reads ${other.reads.join(' and ')}: it would fail until it is replaced, and after a rollback. First deploy a release that reads ${writes} and does not write it (docs/decisions/0022-formats-and-releases.md).`,
      );
    if (!reads.includes(other.writes))
      refusals.push(
        `The deployed release writes the format ${other.writes} of a stored item (${item}), and this release reads ${reads.join(' and ')}. Deploy a release that reads it (docs/decisions/0022-formats-and-releases.md).`,
      );
    return refusals;
  });
}

/**
 * Returns why a release cannot read what is left in a table, a sentence for each stored item.
 * @param lowest the lowest formats that are left. Without one, it is the first format.
 */
export const leftFormatRefusals = (table: string, lowest: Readonly<Record<string, number>>): string[] =>
  kindsInTable.flatMap((item) => {
    const { reads } = formats[item];
    return Math.min(...reads) <= (lowest[item] ?? firstFormat)
      ? []
      : [
          `The table "${table}" can have a stored item (${item}) in an earlier format, and this release reads ${reads.join(' and ')}. Run "npx pm-api rewrite --table ${table}" with a release that reads it, the deployed one, and deploy then (docs/operations.md#write-all-items-again).`,
        ];
  });
