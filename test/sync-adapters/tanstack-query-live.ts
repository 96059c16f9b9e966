import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followLists } from '../../client/adapters/tanstack-query.ts';
import type { Client } from '../../client/index.ts';

/** Keeps the cached lists of tasks up to date while a component is shown. */
export function useLiveTasks(client: Client, onError: (error: unknown) => void) {
  const queries: QueryClient = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const options = { live: true, signal: stop.signal, onError };
    followLists(client.tasks, queries, ['tasks'], options).catch(onError);
    return () => stop.abort();
  }, [client, queries, onError]);
}
