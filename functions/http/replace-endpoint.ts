import type { replace } from '../contract/contract.ts';
import { newFields } from '../contract/resource.ts';
import { createEntity } from '../engine/entities/create-entity.ts';
import { updateEntity } from '../engine/entities/update-entity.ts';
import type { readChildIds } from '../engine/lists/children.ts';
import { writeEndpoint } from './write-endpoint.ts';

/** Sets all fields of an entity but those kept that the body does not name, or creates it when the caller accepts no version of it. */
export const replaceEndpoint = (contract: ReturnType<typeof replace>, readBelow?: typeof readChildIds) =>
  writeEndpoint(contract, ({ session, id, body, expected }) => {
    const { resource } = contract;
    const { kind } = resource;
    return expected === 'none'
      ? createEntity(session, kind, newFields(resource, body), id)
      : updateEntity(session, { kind, id, expected }, body, readBelow);
  });
