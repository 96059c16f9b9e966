import { newId } from 'project-management-client';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { RxDocument } from 'rxdb/plugins/core';
import { useLiveRxQuery } from 'rxdb/plugins/react';
import { filter, firstValueFrom } from 'rxjs';
import { signIn, signOut } from './sign-in.ts';
import type { KnownTask, Note, openTasks } from './tasks.ts';
import { closeDatabase } from './user.ts';

/** The stored copy. */
type Copy = Awaited<ReturnType<typeof openTasks>>;

interface Notice {
  readonly id: string;
  readonly task?: string;
  readonly text: string;
  readonly time: number;
  /** What the user can do about it. */
  readonly action?: { readonly label: string; readonly run: () => unknown } | undefined;
  readonly close?: () => unknown;
}

const onConnection = (call: () => void) => {
  Object.assign(window, { ononline: call, onoffline: call });
  return () => undefined;
};

/** Changes tasks. */
function useChanges({ tasks, notes }: Copy) {
  const [undo, setUndo] = useState<Notice>();

  /** Lets the user take back what has happened to a task. */
  function offerUndo({ id, name }: KnownTask, change: string, takeBack: () => unknown): void {
    const close = () => setUndo(undefined);
    const run = () => {
      close();
      takeBack();
    };
    const text = `“${name}” is ${change}.`;
    setUndo({ id: 'undo', task: id, text, time: Date.now(), action: { label: 'Undo', run }, close });
  }

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

  const complete = (task: KnownTask) => {
    const { id, status } = task;
    const isDone = status === 'completed';
    offerUndo(task, isDone ? 'open again' : 'done', () => update(id, { status }));
    return update(id, { status: isDone ? 'active' : 'completed' });
  };

  const remove = (task: KnownTask) => {
    const { id, name, status } = task;
    const change = write(id, tasks.findOne(id).incrementalRemove());
    offerUndo(task, 'deleted', () =>
      change.then(() => notes.put(newId(), 'restoring', { task: id, name, status })),
    );
  };

  /** Deletes a task as others have changed it, as soon as the copy has it back. */
  const removeAnyway = async (id: string) => {
    const found = tasks.findOne(id).$.pipe(filter((task) => task !== null));
    remove(await firstValueFrom(found));
  };

  return { undo, setUndo, update, add, rename, complete, remove, removeAnyway };
}

/** A field that keeps what the user types while the name changes. It is as high as the name is long. */
function NameField({ task, onEnd }: { task: KnownTask; onEnd: (before: string, name: string) => unknown }) {
  const [draft, setDraft] = useState<{ before: string; name: string }>();
  const { before, name } = draft ?? { before: task.name, name: task.name };
  return (
    <span className="name" data-name={name}>
      <textarea
        rows={1}
        aria-label={`Name of ${task.name}`}
        value={name}
        onChange={({ target }) => setDraft({ before, name: target.value.replaceAll('\n', ' ') })}
        onBlur={() => {
          if (draft) onEnd(before, name);
          setDraft(undefined);
        }}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      />
    </span>
  );
}

function NoticeRow({ text, action, close }: Notice) {
  return (
    <div role="alert">
      <span>{text}</span>
      <div>
        {action && (
          <button type="button" onClick={action.run}>
            {action.label}
          </button>
        )}
        {close && (
          <button type="button" onClick={close}>
            Close
          </button>
        )}
      </div>
    </div>
  );
}

/** Shows whether sending fails, the latest notice of the user's changes, and how many others there are. */
function Notices({ failed, ofChanges }: Record<'failed' | 'ofChanges', readonly Notice[]>) {
  const [latest, ...others] = ofChanges.toSorted((one, other) => other.time - one.time);
  return (
    <aside>
      {failed.map((notice) => (
        <NoticeRow key={notice.id} {...notice} />
      ))}
      {latest && <NoticeRow {...latest} />}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          {others.map((notice) => (
            <NoticeRow key={notice.id} {...notice} />
          ))}
        </details>
      )}
    </aside>
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

/** Returns the notice of a change that the service has not applied. */
function refusal(note: RxDocument<Note>, { update, removeAnyway }: ReturnType<typeof useChanges>) {
  const { id, kind, task = '', name, text = '' } = note;
  const close = () => note.incrementalRemove();
  const actionOf = (label: string, change: () => unknown) => ({
    label,
    run: () => Promise.all([close(), change()]),
  });
  const rename =
    name === undefined ? undefined : actionOf(`Change to “${name}”`, () => update(task, { name }));
  const action = kind === 'kept' ? actionOf('Delete anyway', () => removeAnyway(task)) : rename;
  return { id, task, text, time: note.toJSON(true)._meta.lwt, action, close };
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
  const changes = useChanges(copy);
  const { undo, setUndo, add, rename, complete, remove } = changes;
  const notesOf = (...kinds: Note['kind'][]) => notes.filter(({ kind }) => kinds.includes(kind));
  const returning = notesOf('restoring')
    .map(({ task = '', name = '', status = '' }) => ({ id: task, name, status, isReturning: true as const }))
    .filter(({ id }) => tasks.every((task) => task.id !== id));
  const listed = [...tasks, ...returning].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, rows);
  const refused = notesOf('refused', 'kept').map((note) => refusal(note, changes));
  // What was refused cannot be taken back.
  if (undo && refused.some(({ task, time }) => task === undo.task && time > undo.time)) setUndo(undefined);
  const failed = notesOf('error').map(({ id, text = '' }) => ({ id, text, time: 0 }));
  const waiting = new Set(notesOf('waiting', 'restoring').map(({ task }) => task)).size;
  const isLoading = notesOf('complete').length === 0;
  const sent = waiting === 0 ? 'all changes are sent' : `tasks to send: ${waiting}`;
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
        </p>
      </header>
      {!canWrite && <p>You cannot change tasks.</p>}
      <fieldset disabled={!canWrite}>
        <form action={(form) => void add(String(form.get('name')))}>
          <input name="name" aria-label="New task" placeholder="New task" required />
          <button type="submit">Add</button>
        </form>
        {!isLoading && listed.length === 0 && <p>There are no tasks yet.</p>}
        <ul>
          {listed.map((task) =>
            'isReturning' in task ? (
              <li key={task.id}>
                <input
                  type="checkbox"
                  aria-label={`Complete ${task.name}`}
                  checked={task.status === 'completed'}
                  disabled
                />
                <span className="name">
                  {task.name} <small>comes back when you are online</small>
                </span>
              </li>
            ) : (
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
            ),
          )}
        </ul>
      </fieldset>
      {tasks.length === rows && (
        <button type="button" onClick={() => setRows(rows + step)}>
          Show more
        </button>
      )}
      <Notices failed={isOnline ? failed : []} ofChanges={undo ? [...refused, undo] : refused} />
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
      <p role="alert">
        {error && `Sign-in failed. ${navigator.onLine ? 'Try again later.' : 'You are offline.'}`}
      </p>
    </>
  );
}
