import { useLiveQuery } from '@tanstack/react-db';
import { isProblem, newId, ProblemError, type Task, type Versioned } from 'project-management-client';
import { useState, useSyncExternalStore } from 'react';
import { signOut } from './sign-in.ts';
import { client, tasks } from './tasks.ts';

type KnownTask = Versioned<Task>;

/** What the user can do about the last change. */
type Notice = { readonly text: string; readonly action: string; readonly run: () => unknown };

/** Why the service does not apply a change. */
const reasons: Readonly<Record<string, string>> = {
  'not-found': 'Somebody else has deleted the task.',
  'version-mismatch': 'Somebody else has changed the task, so your change was not applied.',
};

const onConnection = (call: () => void) => {
  Object.assign(window, { ononline: call, onoffline: call });
  return () => undefined;
};

/** Changes tasks, and says what has become of the changes. */
function useChanges() {
  const [waiting, setWaiting] = useState(0);
  const [notice, setNotice] = useState<Notice>();

  /** Waits until the service has a change, or `onRefused` tells why it has not. */
  async function sent(change: ReturnType<typeof tasks.delete>, onRefused: (error: Error) => unknown = show) {
    setWaiting((count) => count + 1);
    await change.isPersisted.promise.catch(onRefused).catch(show);
    setWaiting((count) => count - 1);
  }

  function show(error: Error): void {
    const text = (error instanceof ProblemError && reasons[error.problem.code]) || error.message;
    setNotice({ text, action: 'Close', run: () => undefined });
  }

  const update = (id: string, fields: Partial<Task>) =>
    tasks.update(id, (task) => void Object.assign(task, fields));

  const add = (name: string) => sent(tasks.insert({ id: newId(), name, status: 'active' } as KnownTask));

  const rename = ({ id, name: before }: KnownTask, name: string) =>
    name !== before &&
    sent(update(id, { name }), async (error) => {
      if (!isProblem(error, 'version-mismatch')) throw error;
      const theirs = await client.tasks.get(id);
      const text = `Somebody else has changed “${before}” to “${theirs.name}”.`;
      setNotice({ text, action: `Change to “${name}”`, run: () => rename(theirs, name) });
    });

  const complete = ({ id, name, status }: KnownTask) => {
    const isDone = status === 'completed';
    const undo = () => sent(update(id, { status }));
    setNotice({ text: `“${name}” is ${isDone ? 'open' : 'done'}.`, action: 'Undo', run: undo });
    return sent(update(id, { status: isDone ? 'active' : 'completed' }));
  };

  const remove = ({ id, name }: KnownTask) => {
    const change = sent(tasks.delete(id));
    const undo = () => change.then(() => client.tasks.restore(id)).catch(show);
    setNotice({ text: `“${name}” is deleted.`, action: 'Undo', run: undo });
  };

  return { waiting, notice, setNotice, add, rename, complete, remove };
}

export function App() {
  const { data, isLoading } = useLiveQuery((query) =>
    query.from({ task: tasks }).orderBy(({ task }) => task.createdAt, 'desc'),
  );
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const { waiting, notice, setNotice, add, rename, complete, remove } = useChanges();
  return (
    <>
      <header>
        <button type="button" onClick={signOut} disabled={!isOnline || waiting > 0}>
          Sign out
        </button>
        <p role="status">
          {isOnline ? 'Online' : 'Offline'},{' '}
          {waiting === 0 ? 'all changes are sent' : `waiting changes: ${waiting}`}
        </p>
      </header>
      <form action={(form) => void add(String(form.get('name')))}>
        <input name="name" aria-label="New task" placeholder="New task" required />
        <button type="submit">Add</button>
      </form>
      {notice && (
        <p role="alert">
          {notice.text}{' '}
          <button
            type="button"
            onClick={() => {
              setNotice(undefined);
              notice.run();
            }}
          >
            {notice.action}
          </button>
        </p>
      )}
      {isLoading && <p>Loading…</p>}
      <ul>
        {data.map((task) => (
          <li key={task.id}>
            <input
              type="checkbox"
              aria-label={`Complete ${task.name}`}
              checked={task.status === 'completed'}
              onChange={() => complete(task)}
            />
            {/* The service gives it when it receives the task. */}
            {task.number && <small>#{task.number}</small>}
            <input
              key={task.name}
              aria-label={`Name of ${task.name}`}
              defaultValue={task.name}
              onBlur={({ target }) => rename(task, target.value)}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
            />
            <button type="button" aria-label={`Delete ${task.name}`} onClick={() => remove(task)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
