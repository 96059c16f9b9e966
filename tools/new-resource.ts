/** Writes what repeats when a resource is added: its files, from those of tags, and an entry in the files that list the resources. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { v7 } from 'uuid';
import { pascal } from '../functions/contract/contract.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';

/** The names of a resource, from its words. */
interface Names {
  /** The folder and the path segment: `custom-fields`. */
  readonly folder: string;
  /** In code: `customFields`. */
  readonly plural: string;
  readonly kind: string;
}

const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** @throws CommandFailure for a name that is no words. */
function namesOf(plural: string, kind: string): Names {
  const isName = (name: string): boolean => /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name);
  const [folder, one] = [kebab(plural), kebab(kind)];
  if (!isName(folder) || !isName(one) || folder === one)
    throw new CommandFailure(
      `A resource needs a plural and a singular of letters, not "${plural}" and "${kind}": npx pm-api new resource time-entries --kind time-entry`,
    );
  const names = { folder, plural: camel(folder), kind: camel(one) };
  try {
    new Script(`const ${names.plural} = 0, ${names.kind} = 0;`);
  } catch {
    throw new CommandFailure(
      `"${kind}" is a word of JavaScript. Choose another singular: npx pm-api new resource ${plural} --kind ${one}-item`,
    );
  }
  return names;
}

/** The files of a resource that do not repeat, with what every resource has. */
const ownFiles = ({ folder, kind }: Names): Readonly<Record<string, string>> => ({
  'resource.ts': `import { commonFields, resource } from '../contract/resource.ts';

export const ${kind} = resource({
  kind: '${kind}',
  plural: '${folder}',
  fields: {
    ...commonFields,
  },
});
`,
  'resource-docs.ts': `import { type Documentation, times } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'One of the ${folder.replaceAll('-', ' ')}.',
  example: {
    id: '${v7()}',
    name: 'First ${kebab(kind).replaceAll('-', ' ')}',
    status: 'active',
    ...times,
  },
  change: { status: 'archived' },
  list: {
    question: 'the active ${folder.replaceAll('-', ' ')}, by name',
    query: 'status=active&sortBy=name&sortOrder=asc',
  },
  fields: {},
};
`,
});

/** A list of resources ends with this line. */
const listEnd = '// npx pm-api new: above this line\n';

/** What a file that lists the resources gets: imports, and an entry in each of its lists. */
interface Entries {
  readonly imports?: readonly string[];
  readonly entries: readonly string[];
}

const entriesOf = ({ folder, plural, kind }: Names): Readonly<Record<string, Entries>> => ({
  'functions/schema.ts': {
    imports: [`import { ${kind} } from './${folder}/resource.ts';`],
    entries: [`${kind},`],
  },
  'functions/routes.ts': {
    imports: [
      `import * as ${plural} from './${folder}/contract.ts';`,
      `import { documentation as ${kind} } from './${folder}/resource-docs.ts';`,
    ],
    entries: [plural === folder ? `${plural},` : `'${folder}': ${plural},`, `${kind},`],
  },
  'client/index.ts': {
    entries: [
      `readonly ${plural}: Collection<types.${pascal(kind)}Types>;`,
      `this.${plural} = new Collection(connection, '/v1/${folder}');`,
    ],
  },
});

/** @throws CommandFailure when the file has another number of lists. */
function withEntries(file: string, text: string, { imports = [], entries }: Entries): string {
  const [first = '', ...parts] = text.split(listEnd);
  if (parts.length !== entries.length)
    throw new CommandFailure(`${file} has ${parts.length} lines ${listEnd.trim()}, not ${entries.length}.`);
  const listed = first + parts.map((part, list) => `${entries[list]}\n${listEnd}${part}`).join('');
  const end = [...listed.matchAll(/^import\b[^;]*;\n/gm)].at(-1);
  const at = end ? end.index + end[0].length : 0;
  return listed.slice(0, at) + imports.map((line) => `${line}\n`).join('') + listed.slice(at);
}

/**
 * Writes the files of a resource that has a name and a status, and all operations that tags have, and names it in three files. The formatter orders their lines.
 * @param root the folder of the project.
 * @throws CommandFailure when the names are no words, or the resource exists, or a list has another form.
 */
export function writeResource(root: string, plural: string, kind: string): void {
  const names = namesOf(plural, kind);
  const folder = `functions/${names.folder}`;
  if (existsSync(join(root, folder))) throw new CommandFailure(`${folder} exists already.`);
  const renamed = (text: string): string =>
    text
      .replaceAll('Tags', pascal(names.plural))
      .replaceAll('Tag', pascal(names.kind))
      .replaceAll('tag', names.kind);
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const own = ownFiles(names);
  const files = readdirSync(join(root, 'functions/tags')).map((name): [string, string] => [
    `${folder}/${name.replace('tags', names.folder).replace('tag', kebab(names.kind))}`,
    own[name] ?? renamed(read(`functions/tags/${name}`)),
  ]);
  const lists = Object.entries(entriesOf(names)).map(([file, entries]): [string, string] => [
    file,
    withEntries(file, read(file), entries),
  ]);
  mkdirSync(join(root, folder));
  for (const [file, text] of [...files, ...lists]) writeFileSync(join(root, file), text);
}
