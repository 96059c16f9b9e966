/** Writes what repeats when a resource is added: its files, from those of tags, and its name where resources are listed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { v7 } from 'uuid';
import { CommandFailure } from '../lib/command-line/command-line.ts';

/** The files of a resource that do not repeat, with what every resource has. */
const ownFiles = (kind: string, plural: string): Readonly<Record<string, string>> => ({
  [`functions/${plural}/resource.ts`]: `import { commonFields, resource } from '../contract/resource.ts';

export const ${kind} = resource({
  kind: '${kind}',
  plural: '${plural}',
  fields: {
    ...commonFields,
  },
});
`,
  [`functions/${plural}/resource-docs.ts`]: `import { type Documentation, times } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'One of the ${plural}.',
  example: {
    id: '${v7()}',
    name: 'First ${kind}',
    status: 'active',
    ...times,
  },
  change: { status: 'archived' },
  list: {
    question: 'the active ${plural}, by name',
    query: 'status=active&sortBy=name&sortOrder=asc',
  },
  fields: {},
};
`,
});

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The places that list the resources: a file, where its one match is empty, and what is inserted there. */
const insertions = (kind: string, plural: string): readonly [file: string, place: RegExp, text: string][] => [
  ['functions/kinds.ts', /(?=;\n$)/, ` | '${kind}'`],
  ['functions/schema.ts', /(?<=\*\/\n)(?=import)/, `import { ${kind} } from './${plural}/resource.ts';\n`],
  ['functions/schema.ts', /(?<=const resources:[^=]*= \[[^\]]*\w)(?=,?\s*\])/, `, ${kind}`],
  [
    'functions/routes.ts',
    /(?=import \* as health)/,
    `import * as ${plural} from './${plural}/contract.ts';\n`,
  ],
  ['functions/routes.ts', /(?<=const folders = \{[^}]*)(?=health\b)/, `${plural}, `],
  [
    'lib/openapi/resources.ts',
    /(?=import type \{ Kind \})/,
    `import { documentation as ${kind} } from '../../functions/${plural}/resource-docs.ts';\n`,
  ],
  ['lib/openapi/resources.ts', /(?<=const resourceDocs:[^=]*= \{[^}]*\w)(?=,?\s*\})/, `, ${kind}`],
  [
    'client/index.ts',
    /(?=\/\*\* Who a token is for)/,
    `class ${pascal(plural)} extends Collection<types.${pascal(kind)}Types> {}\n\n`,
  ],
  ['client/index.ts', /(?= {2}readonly #connection)/, `  readonly ${plural}: ${pascal(plural)};\n`],
  [
    'client/index.ts',
    /(?<=connection = connection;\n)/,
    `    this.${plural} = new ${pascal(plural)}(connection, '/v1/${plural}');\n`,
  ],
  [
    'test/contract/resources.ts',
    /(?=\];\n\nexport const resources)/,
    `  {
    kind: '${kind}',
    path: '/v1/${plural}',
    required: ['name'],
    minimal: async () => ({ name: unique('${pascal(kind)}') }),
    full: async () => ({
      name: unique('Full ${kind}'),
      status: unique('s'),
    }),
    defaults: { status: 'active' },
    references: [],
    nested: [],
  },
`,
  ],
];

/**
 * Writes the files of a resource that has a name and a status, and all operations that tags have.
 * @param root the folder of the project.
 * @throws CommandFailure when the names are no words; CommandFailure when the resource exists, or a list has another form.
 */
export function writeResource(root: string, plural: string, kind: string): void {
  if (!/^[a-z]{2,}$/.test(plural) || !/^[a-z]{2,}$/.test(kind) || plural === kind) {
    throw new CommandFailure(
      `A resource needs a plural and a singular of lower-case letters, not "${plural}" and "${kind}": npx pm-api new resource comments --kind comment`,
    );
  }
  const folder = `functions/${plural}`;
  if (existsSync(join(root, folder))) throw new CommandFailure(`${folder} exists already.`);
  const renamed = (text: string): string =>
    [
      ['tags', plural],
      ['Tags', pascal(plural)],
      ['tag', kind],
      ['Tag', pascal(kind)],
    ].reduce((result, [from = '', to = '']) => result.replaceAll(from, to), text);
  const files = new Map<string, string>();
  const read = (file: string): string => files.get(file) ?? readFileSync(join(root, file), 'utf8');
  for (const name of readdirSync(join(root, 'functions/tags')))
    files.set(`${folder}/${renamed(name)}`, renamed(read(`functions/tags/${name}`)));
  for (const [file, text] of Object.entries(ownFiles(kind, plural))) files.set(file, text);
  for (const [file, place, inserted] of insertions(kind, plural)) {
    const [before, ...after] = read(file).split(place);
    if (after.length !== 1) throw new CommandFailure(`${file} has no single place for:\n${inserted}`);
    files.set(file, `${before}${inserted}${after[0]}`);
  }
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}
