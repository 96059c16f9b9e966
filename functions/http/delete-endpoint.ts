import type { remove } from '../contract/contract.ts';
import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from './endpoint.ts';

export const deleteEndpoint = (contract: ReturnType<typeof remove>) =>
  endpoint(contract, ({ session, id, expected }) =>
    deleteEntity(session, contract.resource.kind, id, expected),
  );
