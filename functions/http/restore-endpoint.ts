import type { restore } from '../contract/contract.ts';
import { restoreEntity } from '../engine/deletions/restore.ts';
import { writeEndpoint } from './write-endpoint.ts';

export const restoreEndpoint = (contract: ReturnType<typeof restore>) =>
  writeEndpoint(contract, ({ session, id, expected }) =>
    restoreEntity(session, contract.resource.kind, id, expected),
  );
