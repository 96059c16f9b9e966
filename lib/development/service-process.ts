import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServedMessage, ServeMessage } from './served-process.ts';

/** Milliseconds that requests under way have to end before a process is killed. */
const patience = 2_000;

/** The service could not be started. */
export class StartFailure extends Error {
  /** The system's code, "EADDRINUSE", if it has one. */
  readonly code: string | undefined;

  constructor({ code, message, stack }: { code?: string | undefined; message: string; stack: string }) {
    super(message);
    this.code = code;
    this.stack = stack;
  }
}

/** A process that runs the service when it is told to, and is used once. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #isServing = false;

  /**
   * It begins to load packages, and then waits.
   * @param onDeath is called when it ends by itself while it serves.
   */
  constructor(onDeath: () => void) {
    this.#child = fork(fileURLToPath(new URL('./served-process.ts', import.meta.url)), {
      // In a process group of its own, so that Ctrl-C reaches us alone, and we stop one after the other.
      detached: true,
    });
    this.#exit = once(this.#child, 'exit').then(() => {
      if (this.#isServing) onDeath();
    });
  }

  /**
   * Runs the service as its files are now.
   * @returns its address, as soon as it listens.
   * @throws StartFailure when it cannot be started.
   */
  async serve(options: ServeMessage): Promise<string> {
    this.#child.send(options);
    const answer = once(this.#child, 'message') as Promise<[ServedMessage]>;
    const [message] = await Promise.race([answer, this.#exit.then(() => [undefined] as const)]);
    if (!message) {
      const text = `The process ended with ${this.#child.signalCode ?? `code ${this.#child.exitCode}`}.`;
      throw new StartFailure({ message: text, stack: text });
    }
    if ('failure' in message) throw new StartFailure(message.failure);
    this.#isServing = true;
    return message.url;
  }

  /** Ends it, after the requests that are under way. */
  async stop(): Promise<void> {
    this.#isServing = false;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (this.#child.connected) this.#child.disconnect();
    const timer = new AbortController();
    const late = delay(patience, undefined, { signal: timer.signal }).then(
      () => this.#child.kill('SIGKILL'),
      () => {},
    );
    await this.#exit;
    timer.abort();
    await late;
  }
}
