import { createRoot } from 'react-dom/client';
import { App, refusals } from './app.tsx';
import { accessToken, isSignedIn, signIn } from './sign-in.ts';
import { openTasks } from './tasks.ts';

// The page opens offline, from the files of the last visit: those of the first one are stored here.
await navigator.serviceWorker?.register('/service-worker.js');
const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
const own = loaded.filter((name) => name.startsWith(location.origin));
if (navigator.onLine) void caches.open('files').then((files) => files.addAll(['/', ...own]));

const token = isSignedIn() ? await accessToken().catch(console.error) : undefined;
createRoot(document.querySelector('#app') as HTMLElement).render(
  isSignedIn() ? (
    <App copy={await openTasks(token ?? undefined, refusals.report)} />
  ) : (
    <button type="button" onClick={signIn}>
      Sign in
    </button>
  ),
);
