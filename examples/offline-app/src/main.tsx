import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { accessToken, isSignedIn, signIn } from './sign-in.ts';

if (isSignedIn()) await accessToken().catch(console.error);
createRoot(document.querySelector('#app') as HTMLElement).render(
  isSignedIn() ? (
    <App />
  ) : (
    <button type="button" onClick={signIn}>
      Sign in
    </button>
  ),
);
