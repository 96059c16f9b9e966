import type { StartOptions } from '../cli/start-options.ts';
import { type Engine, existingEngine, inMemory, startEngine } from '../local/engine.ts';
import { requireIssuer } from '../local/issuer.ts';
import { freePort } from '../local/port.ts';
import type { ServeMessage } from './served-process.ts';
import { ServiceProcess } from './service-process.ts';
import { watchFiles } from './watch-files.ts';

/** Milliseconds after a start until the next process is prepared: the first requests come first. */
const rest = 500;

const nextSave = 'It starts again at the next save.';

/** Where an error is from, in our own files: not in the tools that read them. */
const ownStack = ({ stack, message }: Error): string =>
  (stack ?? message)
    .split('\n')
    .filter((line) => !/^ +at .*(?:node_modules|node:)/.test(line))
    .join('\n');

/** The service while it is worked on: the engine and its data stay, and the service runs anew at every save. */
export class Development {
  readonly #options: ServeMessage;
  readonly #engine: Engine;
  readonly #tell: (line: string) => void;
  #current: ServiceProcess;
  /** Warm, for the next save. */
  #next: ServiceProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unwatch = (): void => {};
  #restarting: Promise<void> | undefined;
  /** Files that no restart has taken up yet, and when the first of them was saved. */
  readonly #saved = new Set<string>();
  #firstSave: number | undefined;

  private constructor(options: ServeMessage, engine: Engine, tell: (line: string) => void) {
    this.#options = options;
    this.#engine = engine;
    this.#tell = tell;
    this.#current = this.#newProcess();
  }

  /**
   * Starts all, and watches.
   * @param folders whose files start the service anew when they are saved.
   * @param tell is told what happens, for people.
   * @throws Error, with nothing left running, when the issuer or an engine cannot be used, or the service does not start.
   */
  static async start(
    options: StartOptions,
    folders: readonly string[],
    tell: (line: string) => void,
  ): Promise<Development> {
    const started = performance.now();
    const { host, corsOrigins, endpoint, databaseFile, tableName, authentication, tenantClaim } = options;
    if (authentication) await requireIssuer(authentication.issuer);
    // The address must be the same after a restart.
    const port = options.port || (await freePort());
    const engine = endpoint ? await existingEngine(endpoint) : await startEngine(databaseFile);
    const serve = {
      port,
      host,
      corsOrigins,
      databaseFile,
      endpoint: engine.endpoint,
      tableName,
      authentication,
      tenantClaim,
    };
    const development = new Development(serve, engine, tell);
    try {
      const url = await development.#serve();
      const place = endpoint ?? (databaseFile === inMemory ? 'memory only' : databaseFile);
      tell(`The API listens on ${url} (ready in ${Math.round(performance.now() - started)} ms).`);
      tell(`Data: ${place} (${engine.name}). It stays when a save starts the API anew.`);
      development.#watch(folders);
    } catch (error) {
      await development.stop();
      throw error;
    }
    return development;
  }

  /** Says why, when it cannot go on: the data is gone with its engine. */
  get failed(): Promise<Error> {
    return this.#engine.failed;
  }

  /** Ends all, the engine last. */
  async stop(): Promise<void> {
    this.#unwatch();
    await this.#restarting;
    clearTimeout(this.#timer);
    await Promise.all([this.#current.stop(), this.#next?.stop()]);
    await this.#engine.stop();
  }

  #newProcess(): ServiceProcess {
    return new ServiceProcess(() => this.#tell(`The API has ended by itself. ${nextSave}`));
  }

  #watch(folders: readonly string[]): void {
    this.#unwatch = watchFiles(folders, (files) => {
      for (const file of files) this.#saved.add(file);
      this.#firstSave ??= performance.now();
      this.#restarting ??= this.#restartAsSaved();
    });
  }

  /** What is saved during a restart makes one more, however much it is. */
  async #restartAsSaved(): Promise<void> {
    while (this.#saved.size > 0) {
      const files = [...this.#saved];
      const since = this.#firstSave ?? performance.now();
      this.#saved.clear();
      this.#firstSave = undefined;
      await this.#restart(files.length === 1 ? `${files[0]}` : `${files.length} files`, since);
    }
    this.#restarting = undefined;
  }

  async #restart(what: string, since: number): Promise<void> {
    clearTimeout(this.#timer);
    await this.#current.stop();
    this.#current = this.#next ?? this.#newProcess();
    this.#next = undefined;
    try {
      await this.#serve();
      this.#tell(`Saved ${what}: the API listens again after ${Math.round(performance.now() - since)} ms.`);
    } catch (error) {
      this.#tell(`${ownStack(error as Error)}\nSaved ${what}: the API does not start. ${nextSave}`);
    }
  }

  async #serve(): Promise<string> {
    try {
      return await this.#current.serve(this.#options);
    } finally {
      this.#timer = setTimeout(() => {
        this.#next = this.#newProcess();
      }, rest);
    }
  }
}
