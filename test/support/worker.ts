/** What the test files of a jest worker share: a database engine, and the code of the service. `test-worker.ts` returns it. */

import type { Route } from '#functions/routes.ts';
import { type Engine, existingEngine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import type { Synthesized } from '../infrastructure/synthesis.ts';
import type { CheckedServiceOptions } from './checked-service.ts';
import type { CommandResult } from './in-process-command.ts';
import type { InProcessOptions, InProcessService } from './in-process-service.ts';

let engine: Promise<Engine> | undefined;

async function start(): Promise<Engine> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const started = given ? await existingEngine(given) : await startEngine(inMemory);
  // jest does not tell a worker which file is its last one, and kills a worker whose process does not end by itself.
  started.unref();
  return started;
}

/**
 * Returns the engine that all test files of the worker use, each with tables of its own: the engine at `DYNAMODB_ENDPOINT`, or an embedded
 * one.
 */
export function sharedEngine(): Promise<Engine> {
  engine ??= start();
  return engine;
}

/** Loads and starts the service. @see startCheckedService */
export async function startService(options: CheckedServiceOptions): Promise<Service> {
  // Most files need no service, and it takes half a second to load.
  const { startCheckedService } = await import('./checked-service.ts');
  return startCheckedService(options);
}

/** Loads and starts the service in the process. @see startInProcessService */
export async function startInProcess(options?: InProcessOptions): Promise<InProcessService> {
  const { startInProcessService } = await import('./in-process-service.ts');
  return startInProcessService(options);
}

/** Loads and starts the issuer of `npm start -- --sign-in`. jest does not load ES modules such as that of its library. */
export async function startSignIn(now?: () => number): Promise<SignInIssuer> {
  const issuer = await import('#lib/local/sign-in/issuer.ts');
  return issuer.startSignIn(0, undefined, now);
}

/** Runs a command in the process. @see in-process-command.ts */
export async function runInProcess(
  command: string,
  flags: readonly string[],
  env?: Readonly<Record<string, string>>,
  hidden?: RegExp,
): Promise<CommandResult> {
  const commands = await import('./in-process-command.ts');
  return commands.runInProcess(command, flags, env, hidden);
}

export async function synthesize(
  settings: Readonly<Record<string, unknown>>,
  assembly: string,
  operations?: readonly Route[],
): Promise<Synthesized> {
  const synthesis = await import('../infrastructure/synthesis.ts');
  return synthesis.synthesize(settings, assembly, operations);
}

export async function synthesizeTemplates(settings: Readonly<Record<string, unknown>>): Promise<Synthesized> {
  const synthesis = await import('../infrastructure/synthesis.ts');
  return synthesis.synthesizeTemplates(settings);
}
