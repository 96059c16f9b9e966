import type { SnapshotId } from '../manifest.ts';
import type { NewItems } from './segment-writer.ts';
import type { CompactionSizes } from './sizes.ts';

/** The step that writes runs and facet runs. */
export interface WritingStep {
  readonly snapshotId: SnapshotId;
  /** Gets the items that the step writes. */
  readonly items: NewItems;
  readonly sizes: CompactionSizes;
}
