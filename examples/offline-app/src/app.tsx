import { newId } from 'project-management-client';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useLiveRxQuery } from 'rxdb/plugins/react';
import { signIn, signOut } from './sign-in.ts';
import type { KnownTask, Note, openTasks } from './tasks.ts';
import { closeDatabase } from './user.ts';

/** The stored copy. */
type Copy = Awaited<ReturnType<typeof openTasks>>;

/** How the user can take the last change back. */
type Undo = { readonly text: string; readonly run: () => unknown };

const onConnection = (call: () => void) => {
  Object.assign(window, { ononline: call, onoffline: call });
  return () => undefined;
};

/** Changes tasks. */
function useChanges({ tasks, notes }: Copy) {
  const [undo, setUndo] = useState<Undo>();

  async function write(id: string, change: Promise<unknown>): Promise<void> {
    await change;
    await notes.put(newId(), 'waiting', { task: id });
  }

  const update = async (id: string, fields: Partial<KnownTask>) => {
    const task = await tasks.findOne(id).exec();
    if (task) await write(id, task.incrementalPatch(fields));
  };

  const add = (name: string) => {
    const id = newId();
    return write(id, tasks.insert({ id, name, status: 'active' } as KnownTask));
  };

  /** Renames a task whose name was `before` when the user began to type. */
  const rename = (task: KnownTask, before: string, name: string) => {
    if (name === before) return;
    if (task.name === before) return update(task.id, { name });
    return notes.askForName(task.id, task.name, name);
  };

  const complete = ({ id, name, status }: KnownTask) => {
    const isDone = status === 'completed';
    setUndo({ text: `“${name}” is ${isDone ? 'open' : 'done'}.`, run: () => update(id, { status }) });
    return update(id, { status: isDone ? 'active' : 'completed' });
  };

  const remove = ({ id, name, status }: KnownTask) => {
    const change = write(id, tasks.findOne(id).incrementalRemove());
    const run = () => change.then(() => notes.put(newId(), 'restoring', { task: id, name, status }));
    setUndo({ text: `“${name}” is deleted.`, run });
  };

  return { undo, setUndo, update, add, rename, complete, remove };
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

/** A text, and what the user can do about it. */
function Notice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <p role="alert">
      <span>{text}</span>
      {children}
    </p>
  );
}

/** Returns whether the user may change tasks, which the device remembers. */
function useCanWrite({ client }: Copy): boolean {
  const [scopes, setScopes] = useState(() => localStorage.getItem('scopes') ?? 'tasks:write');
  useEffect(() => {
    const keep = (found: string) => {
      localStorage.setItem('scopes', found);
      setScopes(found);
    };
    client.me().then(
      (me) => keep(me.scopes.join(' ')),
      () => undefined,
    );
  }, [client]);
  return scopes.split(' ').includes('tasks:write');
}

/** Rows that are rendered at first, and more with each click. */
const step = 100;

const lossWarning =
  'Changes that are not sent stay on this device, and are lost if somebody else signs in. Sign out?';

const allNotes = {};

export function App({ copy }: { copy: Copy }) {
  const [rows, setRows] = useState(step);
  const newest = useMemo(() => ({ sort: [{ id: 'desc' as const }], limit: rows }), [rows]);
  const { results: tasks } = useLiveRxQuery({ collection: copy.tasks, query: newest });
  const { results: notes } = useLiveRxQuery<Note>({ collection: copy.notes.collection, query: allNotes });
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const canWrite = useCanWrite(copy);
  const { undo, setUndo, update, add, rename, complete, remove } = useChanges(copy);
  const notesOf = (...kinds: Note['kind'][]) => notes.filter(({ kind }) => kinds.includes(kind));
  const waiting = new Set(notesOf('waiting', 'restoring').map(({ task }) => task)).size;
  const isLoading = notesOf('complete').length === 0;
  const sent = waiting === 0 ? 'all changes are sent' : `tasks with waiting changes: ${waiting}`;
  return (
    <>
      <header>
        <button
          type="button"
          onClick={() => {
            if (waiting > 0 && !confirm(lossWarning)) return;
            closeDatabase();
            void signOut();
          }}
        >
          Sign out
        </button>
        <p role="status">
          {isOnline ? 'Online' : 'Offline'}, {isLoading ? 'loading…' : sent}
          {!canWrite && '. You cannot change tasks'}
        </p>
      </header>
      <fieldset disabled={!canWrite}>
        <form action={(form) => void add(String(form.get('name')))}>
          <input name="name" aria-label="New task" placeholder="New task" required />
          <button type="submit">Add</button>
        </form>
        {!isLoading && tasks.length === 0 && <p>There are no tasks yet.</p>}
        <ul>
          {notesOf('restoring').map(({ id, name }) => (
            <li key={id}>
              {name} <small>comes back when it is restored online</small>
            </li>
          ))}
          {tasks.map((task) => (
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
      </fieldset>
      {tasks.length === rows && (
        <button type="button" onClick={() => setRows(rows + step)}>
          Show more
        </button>
      )}
      <aside>
        {isOnline && notesOf('error').map(({ id, text = '' }) => <Notice key={id} text={text} />)}
        {notesOf('refused').map((refused) => (
          <Notice key={refused.id} text={refused.text ?? ''}>
            {refused.name !== undefined && (
              <button
                type="button"
                onClick={() => {
                  void refused.incrementalRemove();
                  void update(refused.task ?? '', { name: refused.name as string });
                }}
              >
                Change to “{refused.name}”
              </button>
            )}
            <button type="button" onClick={() => refused.incrementalRemove()}>
              Close
            </button>
          </Notice>
        ))}
        {undo && (
          <Notice text={undo.text}>
            <button
              type="button"
              onClick={() => {
                setUndo(undefined);
                undo.run();
              }}
            >
              Undo
            </button>
          </Notice>
        )}
      </aside>
    </>
  );
}

export function SignIn({ problem }: { problem: Error | undefined }) {
  const [error, setError] = useState(problem);
  return (
    <>
      <button type="button" onClick={() => signIn().catch(setError)}>
        Sign in
      </button>
      <p role="alert">{error && `Sign-in failed: ${error.message}`}</p>
    </>
  );
}
