/** Compares the stored formats of two releases: each must read what the other one writes, during a deployment and after a rollback. */
import { formats } from '../../functions/engine/model/stored-format.ts';

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
