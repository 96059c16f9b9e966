/**
 * The one list of operations, and what the documentation says of each resource. The infrastructure, the local gateway, the documentation and the tests loop over
 * it; no handler imports it. Every contract that a `contract.ts` exports is an operation. Its handler is the file of the same name beside it.
 */

import type { Contract, Method } from './contract/contract.ts';
import type { Documentation } from './contract/resource-docs.ts';
import { documentationMethods, documentationPaths } from './documentation/paths.ts';
import * as health from './health/contract.ts';
import * as live from './live/contract.ts';
import { toolsPath } from './mcp/paths.ts';
import * as organizations from './organizations/contract.ts';
import { documentation as organization } from './organizations/resource-docs.ts';
import * as projects from './projects/contract.ts';
import { documentation as project } from './projects/resource-docs.ts';
import type { Kind } from './schema.ts';
import './schema.ts';
import * as tags from './tags/contract.ts';
import { documentation as tag } from './tags/resource-docs.ts';
import * as tasks from './tasks/contract.ts';
import { documentation as task } from './tasks/resource-docs.ts';
import * as users from './users/contract.ts';
import { documentation as user } from './users/resource-docs.ts';

const folders = {
  organizations,
  projects,
  users,
  tasks,
  tags,
  // npx pm-api new: above this line
  live,
  health,
};

export const documentations: Readonly<Record<Kind, Documentation>> = {
  organization,
  project,
  user,
  task,
  tag,
  // npx pm-api new: above this line
};

export interface Route {
  readonly contract: Contract;
  /** The file of the handler, relative to this folder. */
  readonly file: string;
  /** The handler of a `GET` serves `HEAD` as well. */
  readonly methods: readonly (Method | 'HEAD')[];
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const isContract = (value: object): value is Contract => 'operation' in value;

export const routes: readonly Route[] = Object.entries(folders).flatMap(([folder, exported]) =>
  Object.values(exported)
    .filter(isContract)
    .map((contract) => ({
      contract,
      file: `${folder}/${kebab(contract.operation)}.ts`,
      methods: contract.method === 'GET' ? (['GET', 'HEAD'] as const) : [contract.method],
    })),
);

/** Returns the methods of each path, also of the documentation and of the tools for agents. @throws Error when two operations are the same. */
export function methodsOf(operations: readonly Route[]): Readonly<Record<string, readonly string[]>> {
  const methods: Record<string, readonly string[]> = {};
  const names = new Set<string>();
  for (const { contract, methods: own } of operations) {
    const known = methods[contract.path] ?? [];
    const repeated = own.find((method) => known.includes(method));
    if (repeated) throw new Error(`${repeated} ${contract.path} is defined twice.`);
    if (names.has(contract.operation))
      throw new Error(`The operation ${contract.operation} is defined twice.`);
    names.add(contract.operation);
    methods[contract.path] = [...known, ...own];
  }
  for (const path of documentationPaths) methods[path] = documentationMethods;
  methods[toolsPath] = ['POST'];
  return methods;
}

export const methodsByPath = methodsOf(routes);
