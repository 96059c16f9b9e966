import type { restore } from '../contract/contract.ts';
import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from './endpoint.ts';

export const restoreEndpoint = (contract: ReturnType<typeof restore>) =>
  endpoint(contract, ({ session, id, expected }) =>
    restoreEntity(session, contract.resource.kind, id, expected),
  );
