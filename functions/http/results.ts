import type { ChangesPage } from '../engine/feed/list-changes.ts';
import type { listEntities } from '../engine/lists/list-entities.ts';
import type { WholeEntity } from '../engine/model/entity.ts';
import type { Page } from '../engine/model/list-query.ts';

interface SignedInUser {
  readonly subject: string | null;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** What responses show of the user with this subject; null without one, or when the token must not read users. */
  readonly user: object | null;
}

export interface Results {
  readonly list: Awaited<ReturnType<typeof listEntities>>;
  readonly entity: WholeEntity;
  readonly created: WholeEntity;
  readonly deleted: null;
  readonly deletedList: Page;
  readonly batch: readonly object[];
  readonly signedInUser: SignedInUser;
  readonly changes: ChangesPage;
  readonly history: object;
  /** The channel of each collection, and through which others it is seen. */
  readonly live: {
    readonly channels: Readonly<Record<string, string>>;
    readonly seenThrough: Readonly<Record<string, readonly string[]>>;
  };
  readonly health: { readonly status: string };
}
