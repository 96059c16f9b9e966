import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { accessToken, completeSignIn, signIn } from './sign-in.ts';

await completeSignIn();
const isSignedIn = (await accessToken()) !== undefined;
createRoot(document.querySelector('#app') as HTMLElement).render(
  isSignedIn ? (
    <App />
  ) : (
    <button type="button" onClick={signIn}>
      Sign in
    </button>
  ),
);
