import type { replace } from '../contract/contract.ts';
import { createEntity } from '../engine/entities/create-entity.ts';
import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from './endpoint.ts';

/** Sets all fields of an entity, or creates it when the caller accepts no version of it. */
export const replaceEndpoint = (contract: ReturnType<typeof replace>) =>
  endpoint(contract, ({ session, id, body, expected }) => {
    const { kind } = contract.resource;
    return expected === 'none'
      ? createEntity(session, kind, body, id)
      : updateEntity(session, { kind, id, expected }, body);
  });
