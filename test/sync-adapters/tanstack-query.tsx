import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { updateLists } from '../../client/adapters/tanstack-query.ts';
import { type Client, isProblem, type Task, type Versioned } from '../../client/index.ts';

const open = { status: { notIn: ['completed', 'archived'] }, sortBy: 'dueDate' } as const;

/** Shows the open tasks a page at a time, and completes one. */
export function OpenTasks({ client }: { client: Client }) {
  const queries = useQueryClient();
  const tasks = useInfiniteQuery({
    queryKey: ['tasks', open],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => client.tasks.list({ ...open, after: pageParam }, { signal }),
    getNextPageParam: ({ next }) => next,
    // The client repeats what is worth a repetition, with the delay that the service asks for.
    retry: false,
  });
  const complete = useMutation({
    // The cached task has its version, so a change of somebody else is not overwritten.
    mutationFn: (task: Versioned<Task>) => client.tasks.update(task, { status: 'completed' }),
    onSuccess: (task) => updateLists(queries, ['tasks'], { data: [task], removed: [] }),
  });
  if (tasks.isPending) return <p>Loading…</p>;
  if (tasks.isError) return <p role="alert">{tasks.error.message}</p>;
  return (
    <>
      {isProblem(complete.error, 'version-mismatch') && (
        <p role="alert">Somebody changed the task. Look again.</p>
      )}
      <p>{tasks.data.pages[0]?.total} open tasks</p>
      <ul>
        {tasks.data.pages.flatMap(({ data }) =>
          data.map((task) => (
            <li key={task.id}>
              {task.name}{' '}
              <button type="button" onClick={() => complete.mutate(task)}>
                Complete
              </button>
            </li>
          )),
        )}
      </ul>
      {tasks.hasNextPage && (
        <button type="button" onClick={() => tasks.fetchNextPage()}>
          More
        </button>
      )}
    </>
  );
}
