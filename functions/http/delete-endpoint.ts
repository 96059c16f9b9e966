import type { remove } from '../contract/contract.ts';
import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { writeEndpoint } from './write-endpoint.ts';

export const deleteEndpoint = (contract: ReturnType<typeof remove>) =>
  writeEndpoint(contract, ({ session, id, expected }) =>
    deleteEntity(session, contract.resource.kind, id, expected),
  );
