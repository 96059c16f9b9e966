import type { changes } from '../contract/contract.ts';
import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from './endpoint.ts';
import { readChangesQuery } from './parse-list-query.ts';
import { renderChanges } from './render-list.ts';

export const changesEndpoint = (contract: ReturnType<typeof changes>) =>
  endpoint(
    contract,
    ({ session, query, since }) => listChanges(session, contract.resource.kind, query, since),
    {
      readQuery: (_, rawQueryString) => readChangesQuery(contract.resource, rawQueryString),
      render: renderChanges,
    },
  );
