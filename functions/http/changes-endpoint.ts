import type { changes } from '../contract/contract.ts';
import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from './endpoint.ts';

export const changesEndpoint = (contract: ReturnType<typeof changes>) =>
  endpoint(contract, ({ session, query, since }) =>
    listChanges(session, contract.resource.kind, query, since),
  );
