/** How a program gets a token of the local issuer without a page. A page of the documentation does it too. */
import { issuerRelation } from '../../functions/documentation/paths.ts';

/** The person whom the issuer proposes, and whose tenant has the data of `npx pm-api seed`. */
export const proposed = { tenant: 'acme', subject: '8d3c0a52-6f1e-4b7a-9c25-0e4f7a1b6d93' } as const;

interface LocalGrant {
  readonly tenant: string;
  readonly subject: string;
  readonly roles?: readonly string[];
  /** Default: all scopes of the API. */
  readonly scopes?: readonly string[];
}

/** Returns the form that a program sends to `/token` of the issuer. */
export function localGrant({ roles = [], scopes = [], ...names }: LocalGrant = proposed): URLSearchParams {
  const person = new URLSearchParams(names);
  for (const role of roles) person.append('role', role);
  return new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'pm-api token',
    scope: scopes.join(' '),
    login_hint: String(person),
  });
}

/** Returns the issuer that a header `Link` names. */
export const issuerIn = (link: string | null): string | undefined =>
  link?.includes(`rel="${issuerRelation}"`) ? /^<([^>]+)>/.exec(link)?.[1] : undefined;
