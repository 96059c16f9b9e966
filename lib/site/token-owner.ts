/** Says whose a token is. */

interface Claims {
  readonly sub?: string;
  /** The name of the user in tokens of Cognito, whose `sub` is an opaque id. */
  readonly username?: string;
  readonly scope?: string;
}

/** Returns whose a token is, and how many scopes it has; `undefined` for text that is not a token with claims. */
export function ownerOf(token: string): string | undefined {
  try {
    const payload = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(payload, (character) => character.charCodeAt(0));
    const { sub, username = sub, scope = '' } = JSON.parse(new TextDecoder().decode(bytes)) as Claims;
    const { length } = scope.split(' ').filter((one) => one !== '');
    return username && `Signed in as ${username}, with ${length} ${length === 1 ? 'scope' : 'scopes'}.`;
  } catch {
    return undefined;
  }
}
