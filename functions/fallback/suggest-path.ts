import { distance } from 'fastest-levenshtein';

/** The longest path that is compared, in characters and in segments: no template is longer. */
const maxLength = 200;
const maxSegments = 6;

/** Edits in one segment: "organisation" is two away from "organizations". */
const maxEdits = 2;

function editsBetween(template: readonly string[], segments: readonly string[]): number {
  if (template.length !== segments.length) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const [position, name] of template.entries()) {
    const segment = segments[position] ?? '';
    if (name.startsWith('{')) continue;
    const edits = distance(name, segment.toLowerCase());
    if (edits > maxEdits) return Number.POSITIVE_INFINITY;
    sum += edits;
  }
  return sum;
}

const withParameters = (template: readonly string[], segments: readonly string[]): string =>
  template
    .map((name, position) => (name.startsWith('{') ? encodeURIComponent(segments[position] ?? '') : name))
    .join('/');

/**
 * Returns the path nearest to one that does not exist: with `/v1` prepended, without a slash at its end, in lower case, or with a typing
 * error corrected; `undefined` when none is near.
 */
export function suggestPath(path: string, templates: readonly string[]): string | undefined {
  if (path.length > maxLength || !path.isWellFormed()) return undefined;
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.length > maxSegments || segments.slice(1).includes('')) return undefined;
  let nearest: { readonly path: string; readonly edits: number } | undefined;
  for (const template of templates.map((one) => one.split('/'))) {
    for (const candidate of [segments, ['', 'v1', ...segments.slice(1)]]) {
      const edits = editsBetween(template, candidate);
      if (edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) {
        nearest = { path: withParameters(template, candidate), edits };
      }
    }
  }
  return nearest && nearest.path !== path ? nearest.path : undefined;
}
