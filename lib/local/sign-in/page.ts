/** The page of the local issuer: who signs in, with which tenant, roles and scopes. */
import { createHash } from 'node:crypto';
import { roles } from '../../../functions/authentication/roles.ts';
import { allProjectsScope } from '../../../functions/contract/scopes.ts';
import { proposed } from '../../tokens/local-grant.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 28rem; margin: 3rem auto; padding: 0 1rem; }
label { display: block; margin: 0.75rem 0; }
input[type="text"] { display: block; width: 100%; box-sizing: border-box; padding: 0.4rem; font: inherit; }
fieldset { margin: 1rem 0; }
fieldset label { margin: 0.25rem 0; }
button { padding: 0.5rem 1.5rem; font: inherit; }
`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/**
 * Returns the headers of the page. Nothing can frame it, and it runs no script. Without a referrer for its own origin, browsers would send the
 * form with `Origin: null`, which the issuer refuses.
 * @param redirectUri the address to which the form leads: browsers apply `form-action` to redirects too.
 */
export const pageHeaders = (redirectUri: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    `form-action 'self' ${/^https?:/.test(redirectUri) ? new URL(redirectUri).origin : new URL(redirectUri).protocol}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});

const checkbox = (name: string, value: string, isChecked: boolean): string =>
  `<label><input type="checkbox" name="${name}" value="${escaped(value)}"${isChecked ? ' checked' : ''}> ${escaped(value)}</label>`;

/**
 * Returns the page.
 * @param parameters of the authorization request, which the form sends again.
 * @param scopes that the request asks for.
 */
export function signInPage(parameters: URLSearchParams, scopes: readonly string[]): string {
  const kept = [...parameters].filter(([name]) => name !== 'login_hint');
  const hidden = kept.map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><style>${style}</style></head>
<body>
<main>
<h1>Sign in</h1>
<p>This page is for development. Choose who you are: nothing is checked.</p>
<form action="/authorize">
${hidden.join('\n')}
<input type="hidden" name="granted" value="">
<label>Tenant <input type="text" name="tenant" value="${proposed.tenant}" required maxlength="128"></label>
<label>Subject <input type="text" name="subject" value="${proposed.subject}" required maxlength="255"></label>
<fieldset><legend>Roles</legend>
<p>Without a role, you have all scopes that are selected below${scopes.includes(allProjectsScope) ? `, except ${allProjectsScope}` : ''}.</p>
${Object.keys(roles)
  .map((role) => checkbox('role', role, false))
  .join('\n')}
</fieldset>
<fieldset><legend>Scopes</legend>
${scopes.map((scope) => checkbox('granted', scope, true)).join('\n')}
</fieldset>
<button type="submit">Sign in</button>
</form>
</main>
</body>
</html>
`;
}
