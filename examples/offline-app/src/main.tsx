import { createRoot } from 'react-dom/client';
import { App, SignIn } from './app.tsx';
import { accessToken, isSignedIn } from './sign-in.ts';
import { openTasks } from './tasks.ts';
import { databaseFor } from './user.ts';
import './style.css';

// The page opens offline, from the files of the last visit: those of the first one are stored here.
await navigator.serviceWorker?.register('/service-worker.js');
const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
const own = loaded.filter((name) => name.startsWith(location.origin));
if (navigator.onLine) void caches.open('files').then((files) => files.addAll(['/', ...own]));

const isSigningIn = location.search !== '';
let problem: Error | undefined;
const fail = (error: Error) => {
  problem = error;
  return undefined;
};
const token = isSignedIn() ? await accessToken().catch(fail) : undefined;
const name = await databaseFor(token, isSigningIn);
createRoot(document.querySelector('#app') as HTMLElement).render(
  name ? <App copy={await openTasks(name)} /> : <SignIn problem={problem} />,
);
