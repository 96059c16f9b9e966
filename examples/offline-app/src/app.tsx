import { newId, type PushResult, type TaskTypes } from 'project-management-client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { signOut } from './sign-in.ts';
import { client, type KnownTask, type openTasks } from './tasks.ts';

/** The stored copy. */
type Copy = Awaited<ReturnType<typeof openTasks>>;

/** What the user can do about the last change. */
type Notice = { readonly text: string; readonly action: string; readonly run: () => unknown };

/** Why the service does not apply a change. */
const reasons: Readonly<Record<string, string>> = {
  'not-found': 'Somebody else has deleted the task.',
  'version-mismatch': 'Somebody else has changed the task, so your change was not applied.',
};

/** Tells the page of a change that the service has not applied. */
export const refusals = new (class extends EventTarget {
  readonly report = (detail: PushResult<TaskTypes>) =>
    this.dispatchEvent(new CustomEvent('refusal', { detail }));
})();

const onConnection = (call: () => void) => {
  Object.assign(window, { ononline: call, onoffline: call });
  return () => undefined;
};

const nothing = () => undefined;

/** Changes tasks, and says what has become of the changes. */
function useChanges({ tasks, sent }: Copy) {
  /** The tasks with changes that are not sent, also by an earlier start of the app. */
  const [waiting, setWaiting] = useState<readonly string[]>(() =>
    JSON.parse(localStorage.getItem('waiting') ?? '[]'),
  );
  const [notice, setNotice] = useState<Notice>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is sent together.
  useEffect(() => {
    localStorage.setItem('waiting', JSON.stringify(waiting));
    let isLatest = true;
    if (waiting.length > 0) void sent().then(() => isLatest && setWaiting([]));
    return () => {
      isLatest = false;
    };
  }, [waiting]);

  async function write(id: string, change: Promise<unknown>): Promise<void> {
    await change;
    setWaiting((ids) => [...new Set([...ids, id])]);
  }

  const show = (error: Error): void => setNotice({ text: error.message, action: 'Close', run: nothing });

  const update = (id: string, fields: Partial<KnownTask>) =>
    write(
      id,
      tasks
        .findOne(id)
        .exec(true)
        .then((task) => task.incrementalPatch(fields)),
    );

  const askAgain = (theirs: string, id: string, name: string): void => {
    const run = () => update(id, { name });
    setNotice({ text: `Somebody else has named the task “${theirs}”.`, action: `Change to “${name}”`, run });
  };

  useEffect(() => {
    const onRefusal = (event: Event) => {
      const { id, entity, current, error } = (event as CustomEvent<PushResult<TaskTypes>>).detail;
      const name = entity?.name ?? '';
      if (current && current.name !== name) return askAgain(current.name, id, name);
      const text = reasons[error?.problem.code ?? ''] ?? `“${name}”: ${error?.message}`;
      setNotice({ text, action: 'Close', run: nothing });
    };
    refusals.addEventListener('refusal', onRefusal);
    return () => refusals.removeEventListener('refusal', onRefusal);
  });

  const add = (name: string) => {
    const id = newId();
    return write(id, tasks.insert({ id, name, status: 'active' } as KnownTask));
  };

  /** Renames a task whose name was `before` when the user began to type. */
  const rename = (task: KnownTask, before: string, name: string) => {
    if (name === before) return;
    if (task.name === before) return update(task.id, { name });
    askAgain(task.name, task.id, name);
  };

  const complete = ({ id, name, status }: KnownTask) => {
    const isDone = status === 'completed';
    const undo = () => update(id, { status });
    setNotice({ text: `“${name}” is ${isDone ? 'open' : 'done'}.`, action: 'Undo', run: undo });
    return update(id, { status: isDone ? 'active' : 'completed' });
  };

  const remove = ({ id, name }: KnownTask) => {
    const change = write(id, tasks.findOne(id).remove());
    const undo = () =>
      change
        .then(sent)
        .then(() => client.tasks.restore(id))
        .catch(show);
    setNotice({ text: `“${name}” is deleted.`, action: 'Undo', run: undo });
  };

  return { waiting: waiting.length, notice, setNotice, add, rename, complete, remove };
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

/** Returns the newest tasks of the copy. */
function useTasks({ tasks }: Copy, rows: number): readonly KnownTask[] | undefined {
  const [found, setFound] = useState<readonly KnownTask[]>();
  useEffect(() => {
    const newest = tasks.find({ sort: [{ id: 'desc' }], limit: rows }).$;
    const reading = newest.subscribe((documents) =>
      setFound(documents.map((one) => one.toJSON() as KnownTask)),
    );
    return () => reading.unsubscribe();
  }, [tasks, rows]);
  return found;
}

const lossWarning =
  'Changes that are not sent stay on this device, and are lost if somebody else signs in. Sign out?';

export function App({ copy }: { copy: Copy }) {
  const [rows, setRows] = useState(step);
  const tasks = useTasks(copy, rows);
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const { waiting, notice, setNotice, add, rename, complete, remove } = useChanges(copy);
  return (
    <>
      <header>
        <button type="button" onClick={() => (waiting === 0 || confirm(lossWarning)) && signOut()}>
          Sign out
        </button>
        <p role="status">
          {isOnline ? 'Online' : 'Offline'},{' '}
          {waiting === 0 ? 'all changes are sent' : `tasks with waiting changes: ${waiting}`}
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
      {!tasks && <p>Loading…</p>}
      <ul>
        {tasks?.map((task) => (
          <li key={task.id}>
            <input
              type="checkbox"
              aria-label={`Complete ${task.name}`}
              key={task.status}
              defaultChecked={task.status === 'completed'}
              onChange={() => complete(task)}
            />
            {/* The service gives it when it receives the task. */}
            {task.number && <small>#{task.number}</small>}
            <NameField task={task} onEnd={(before, name) => rename(task, before, name)} />
            <button type="button" aria-label={`Delete ${task.name}`} onClick={() => remove(task)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
      {tasks?.length === rows && (
        <button type="button" onClick={() => setRows(rows + step)}>
          Show more
        </button>
      )}
    </>
  );
}
