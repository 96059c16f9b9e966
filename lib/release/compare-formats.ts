/** Compares the formats of two releases whose functions use one table at the same time. */
import type { Formats } from './last-release.ts';

/** What a format is in a release that does not have the item. */
const none = { reads: [] as readonly number[], writes: undefined };

const numbers = (all: readonly number[]): string => (all.length === 0 ? 'none' : all.join(' and '));

/**
 * Returns why two releases cannot use one table: what one of them writes and the other one cannot read. An item that only the later one has is no
 * reason: the earlier one never reads its key.
 */
export function incompatibleFormats(earlier: Formats, later: Formats): string[] {
  return Object.entries(earlier).flatMap(([item, { reads, writes }]) => {
    const after: { readonly reads: readonly number[]; readonly writes: number | undefined } =
      later[item] ?? none;
    const unreadable = after.writes !== undefined && !reads.includes(after.writes);
    return [
      ...(unreadable
        ? [
            `${item}: it writes format ${after.writes}, and the release before reads ${numbers(reads)}. Read it first, and write it one release later.`,
          ]
        : []),
      ...(after.reads.includes(writes)
        ? []
        : [`${item}: the release before writes format ${writes}, and it reads ${numbers(after.reads)}.`]),
    ];
  });
}
