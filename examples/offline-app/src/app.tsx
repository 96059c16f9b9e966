import { useLiveQuery } from '@tanstack/react-db';
import { isProblem, newId, type Task, type Versioned } from 'project-management-client';
import { useState, useSyncExternalStore } from 'react';
import { signOut } from './sign-in.ts';
import { client, tasks } from './tasks.ts';

type KnownTask = Versioned<Task>;

/** What the user can do about the last change. */
interface Notice {
  readonly text: string;
  readonly action: string;
  readonly run: () => unknown;
}

const onConnection = (call: () => void) => {
  const events = ['online', 'offline'];
  for (const event of events) addEventListener(event, call);
  return () => {
    for (const event of events) removeEventListener(event, call);
  };
};

export function App() {
  const { data, isLoading } = useLiveQuery((query) =>
    query.from({ task: tasks }).orderBy(({ task }) => task.createdAt, 'desc'),
  );
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const [waiting, setWaiting] = useState(0);
  const [notice, setNotice] = useState<Notice>();

  /** Waits until the service has a change, or `onRefused` tells why it has not. */
  async function sent(change: { isPersisted: { promise: Promise<unknown> } }, onRefused = show) {
    setWaiting((count) => count + 1);
    await change.isPersisted.promise.catch(onRefused).finally(() => setWaiting((count) => count - 1));
  }

  const show = (error: Error) => setNotice({ text: error.message, action: 'Close', run: () => undefined });

  const update = (id: string, fields: Partial<Task>) =>
    tasks.update(id, (task) => void Object.assign(task, fields));

  const add = (name: string) => sent(tasks.insert({ id: newId(), name, status: 'active' } as KnownTask));

  const rename = ({ id, name: before }: KnownTask, name: string) =>
    name !== before &&
    sent(update(id, { name }), (error) => {
      const theirs = tasks.get(id);
      if (!theirs || !isProblem(error, 'version-mismatch')) return show(error);
      const text = `Somebody else has changed “${before}” to “${theirs.name}”.`;
      setNotice({ text, action: `Change to “${name}”`, run: () => rename(theirs, name) });
    });

  const complete = ({ id, name, status }: KnownTask) => {
    const isDone = status === 'completed';
    setNotice({
      text: `“${name}” is ${isDone ? 'open' : 'done'}.`,
      action: 'Undo',
      run: () => sent(update(id, { status })),
    });
    return sent(update(id, { status: isDone ? 'active' : 'completed' }));
  };

  const remove = ({ id, name }: KnownTask) => {
    const change = sent(tasks.delete(id));
    const undo = () => change.then(() => client.tasks.restore(id)).catch(show);
    setNotice({ text: `“${name}” is deleted.`, action: 'Undo', run: undo });
  };

  return (
    <>
      <header>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
        <p role="status">
          {isOnline ? 'Online' : 'Offline'},{' '}
          {waiting === 0 ? 'all changes are sent' : `${waiting} changes wait`}
        </p>
      </header>
      <form
        action={(form) => {
          void add(String(form.get('name')));
        }}
      >
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
            <input
              key={task.name}
              aria-label={`Name of ${task.name}`}
              defaultValue={task.name}
              onBlur={({ target }) => rename(task, target.value)}
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
