import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A deliberate defect, with which a test must fail. */
export interface Mutation {
  /** The name in kebab case. `npm run test:mutations -- <name>` applies only this mutation. */
  readonly name: string;
  /** The file that it changes. */
  readonly file: string;
  /** The text that it replaces. It must occur exactly once. */
  readonly search: string;
  /** The new text. It must compile, because otherwise the compiler detects the mutation. */
  readonly replacement: string;
}

/** Mutations by file and name: the text that each replaces, and the new text. */
export type MutationsByFile = Readonly<
  Record<string, Readonly<Record<string, readonly [search: string, replacement: string]>>>
>;

export const toMutations = (files: MutationsByFile): Mutation[] =>
  Object.entries(files).flatMap(([file, mutations]) =>
    Object.entries(mutations).map(([name, [search, replacement]]) => ({
      name,
      file,
      search,
      replacement,
    })),
  );

/**
 * Returns the text of a file with a mutation applied.
 * @param root the folder of the project.
 * @throws Error that names the mutation when the text that it replaces does not occur exactly once.
 */
export function applyMutation(root: string, { name, file, search, replacement }: Mutation): string {
  const text = readFileSync(join(root, file), 'utf8');
  const [before = '', after, ...more] = text.split(search);
  if (after === undefined || more.length > 0) {
    const times = after === undefined ? 'does not occur' : `occurs ${more.length + 1} times`;
    throw new Error(
      `The mutation "${name}" cannot be applied: the text that it replaces ${times} in ${file}.`,
    );
  }
  return before + replacement + after;
}
