import type { replace } from '../contract/contract.ts';
import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from './endpoint.ts';
import type { Handler } from './middleware.ts';

export const replaceEndpoint = (contract: ReturnType<typeof replace>): Handler =>
  endpoint(contract, ({ session, id, body, expected }) =>
    replaceEntity(session, { kind: contract.resource.kind, id, expected }, body),
  );
