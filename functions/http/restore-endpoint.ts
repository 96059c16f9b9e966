import type { restore } from '../contract/contract.ts';
import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from './endpoint.ts';
import type { Handler } from './middleware.ts';

export const restoreEndpoint = (contract: ReturnType<typeof restore>): Handler =>
  endpoint(contract, ({ session, id, expected }) =>
    restoreEntity(session, contract.resource.kind, id, expected),
  );
