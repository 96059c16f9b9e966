import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Client, SyncOptions } from '../../client/index.ts';

/** Reads the cached lists again when a task changes, until the signal is aborted. */
export async function followTasks(client: Client, queries: QueryClient, options: SyncOptions) {
  const pages = client.tasks.sync({ fields: ['id'] }, { since: 'now', ...options });
  // What was read before the first page can be older than it.
  let isStale = true;
  for await (const { data, removed } of pages) {
    if (isStale || data.length + removed.length > 0) await queries.invalidateQueries({ queryKey: ['tasks'] });
    isStale = false;
  }
}

export function useLiveTasks(client: Client, onError: (error: unknown) => void) {
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    followTasks(client, queries, { signal: stop.signal, onError }).catch(onError);
    return () => stop.abort();
  }, [client, queries, onError]);
}
