import { useLiveQuery } from '@tanstack/react-db';
import { isProblem, newId, ProblemError, type Task, type Versioned } from 'project-management-client';
import { useEffect, useState, useSyncExternalStore } from 'react';
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

  /** Renames a task whose name was `before` when the user began to type. */
  const finish = (task: KnownTask, before: string, name: string) => {
    if (name === before) return;
    if (task.name === before) return rename(task, name);
    const text = `Somebody else has changed “${before}” to “${task.name}”.`;
    setNotice({ text, action: `Change to “${name}”`, run: () => rename(task, name) });
  };

  return { waiting, notice, setNotice, add, finish, complete, remove };
}

/** A field that keeps what the user types while the name changes. */
function NameField({ task, onEnd }: { task: KnownTask; onEnd: (before: string, name: string) => unknown }) {
  const [draft, setDraft] = useState<{ before: string; name: string }>();
  const before = draft?.before ?? task.name;
  return (
    <input
      aria-label={`Name of ${task.name}`}
      value={draft?.name ?? task.name}
      onChange={({ target }) => setDraft({ before, name: target.value })}
      onBlur={() => {
        if (draft) onEnd(draft.before, draft.name);
        setDraft(undefined);
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  );
}

/** Rows that are rendered at first, and more with each click. */
const step = 100;

export function App() {
  const [rows, setRows] = useState(step);
  const { data, isLoading } = useLiveQuery(
    (query) =>
      query
        .from({ task: tasks })
        .orderBy(({ task }) => task.createdAt, 'desc')
        .limit(rows),
    [rows],
  );
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const { waiting, notice, setNotice, add, finish, complete, remove } = useChanges();
  useEffect(() => {
    // The browser asks before unsent changes are lost.
    const warn = (event: Event) => event.preventDefault();
    if (waiting > 0) addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [waiting]);
  return (
    <>
      <header>
        <button type="button" onClick={signOut}>
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
            <NameField task={task} onEnd={(before, name) => finish(task, before, name)} />
            <button type="button" aria-label={`Delete ${task.name}`} onClick={() => remove(task)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
      {data.length === rows && (
        <button type="button" onClick={() => setRows(rows + step)}>
          Show more
        </button>
      )}
    </>
  );
}
