import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, linesOf, type Logger, sleep, SerialQueue } from '@binnacle/base';
import { ShutdownWatchError } from '../errors.ts';
import type { ShutdownWatch } from '../ports.ts';

/** What watching needs: systemd's own programs speak to its login manager. */
export interface LogindOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What its programs are started with. */
  readonly environment: { readonly [name: string]: string };
  /** Where its configuration is extended; default `/etc/systemd/logind.conf.d`. */
  readonly configDirectory?: string;
}

const run = promisify(execFile);
const MANAGER = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const;
const MATCH = `type='signal',interface='${MANAGER[2]}',member='PrepareForShutdown',path='${MANAGER[1]}'`;
const CALL_MS_MAX = 10_000;
/** A message of the login manager is a few hundred bytes. */
const LINES = { bytesMax: 64 * 1024, tooLong: () => new ShutdownWatchError('what the login manager says has no end') };
const LOOKS = 5;
const LOOK_MS = 100;
const HELD = 'held';

/** Shutdowns as systemd's login manager tells of them; it is held up by an inhibitor of the sort `delay`. */
export function createLogindWatch(options: LogindOptions): ShutdownWatch {
  return { follow: (of) => new Watch(options, of).run() };
}

type Follow = Parameters<ShutdownWatch['follow']>[0];

class Watch {
  readonly #options: LogindOptions;
  readonly #of: Follow;
  #lock: ChildProcess | undefined;
  readonly #telling = new SerialQueue();

  constructor(options: LogindOptions, of: Follow) {
    this.#options = options;
    this.#of = of;
  }

  async run(): Promise<void> {
    const { signal } = this.#of;
    await this.#ensureDelay();
    const monitor = this.#start('busctl', ['--system', '--json=short', 'monitor', '--match', MATCH]);
    const drop = (): void => {
      monitor.kill();
    };
    signal.addEventListener('abort', drop, { once: true });
    try {
      await this.#hold();
      if (monitor.stdout === null) throw new ShutdownWatchError('busctl has no output');
      for await (const line of linesOf(monitor.stdout, LINES)) this.#take(line);
      if (signal.aborted) return;
      await this.#telling.settled();
      throw new ShutdownWatchError('busctl does not watch any more');
    } finally {
      signal.removeEventListener('abort', drop);
      monitor.kill();
      this.#release();
    }
  }

  #take(line: string): void {
    const isDown = shutdownIn(line);
    if (isDown === undefined) return;
    void this.#telling
      .run(() => this.#tell(isDown))
      .catch((error: unknown) => {
        this.#options.log.error(error, 'A shutdown of the node could not be prepared');
      });
  }

  async #tell(isDown: boolean): Promise<void> {
    if (!isDown) await this.#hold();
    try {
      await this.#of.tell(isDown);
    } finally {
      if (isDown) this.#release();
    }
  }

  /** Holds the machine up from now on. Throws ShutdownWatchError. */
  async #hold(): Promise<void> {
    if (this.#lock !== undefined) return;
    const why = [
      '--what=shutdown',
      '--who=kubelet',
      '--why=Kubelet needs time to handle node shutdown',
      '--mode=delay',
    ];
    // It holds as long as its command runs, and that as long as we hold its input.
    const lock = this.#start('systemd-inhibit', [...why, 'sh', '-c', `echo ${HELD}; exec cat >/dev/null`], 'pipe');
    this.#lock = lock;
    if (lock.stdout !== null) {
      for await (const line of linesOf(lock.stdout, LINES)) if (line === HELD) return;
    }
    this.#lock = undefined;
    throw new ShutdownWatchError('systemd-inhibit does not hold a shutdown up');
  }

  #release(): void {
    this.#lock?.stdin?.end();
    this.#lock = undefined;
  }

  async #ensureDelay(): Promise<void> {
    const { configDirectory = '/etc/systemd/logind.conf.d', clock, log } = this.#options;
    const { delayMs } = this.#of;
    if ((await this.#delayMs()) >= delayMs) return;
    log.info(1, 'The login manager is told to wait longer for shutdowns', { delayMs });
    await mkdir(configDirectory, { recursive: true });
    const text = `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${Math.ceil(delayMs / 1000)}\n`;
    await writeFile(join(configDirectory, '99-kubelet.conf'), text);
    await this.#call('systemctl', ['kill', '--signal=SIGHUP', 'systemd-logind.service']);
    for (let look = 0; look < LOOKS; look++) {
      if ((await this.#delayMs()) >= delayMs) return;
      // It reads its configuration when it likes, and says nothing.
      await sleep(clock, LOOK_MS * 2 ** look, this.#of.signal);
    }
    throw new ShutdownWatchError(`the login manager does not wait ${delayMs} ms for shutdowns`);
  }

  async #delayMs(): Promise<number> {
    const text = await this.#call('busctl', [
      '--system',
      '--json=short',
      'get-property',
      ...MANAGER,
      'InhibitDelayMaxUSec',
    ]);
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    if (typeof data !== 'number') throw new ShutdownWatchError(`InhibitDelayMaxUSec is ${text.trim()}`);
    return data / 1000;
  }

  async #call(program: string, args: readonly string[]): Promise<string> {
    try {
      const of = { env: this.#options.environment, timeout: CALL_MS_MAX, killSignal: 'SIGKILL' } as const;
      return (await run(program, args, of)).stdout;
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string };
      throw new ShutdownWatchError(`${program}: ${(stderr ?? '').trim() || String(error)}`, error);
    }
  }

  #start(program: string, args: readonly string[], input: 'pipe' | 'ignore' = 'ignore'): ChildProcess {
    const child = spawn(program, args, { stdio: [input, 'pipe', 'ignore'], env: this.#options.environment });
    // What cannot be started has no output; that is told where it is read.
    child.on('error', (error) =>
      this.#options.log.error(error, 'A program of systemd could not be started', { program }),
    );
    child.stdin?.on('error', () => undefined);
    return child;
  }
}

/** What a line of `busctl --json=short monitor` says about a shutdown; undefined: nothing. */
export function shutdownIn(line: string): boolean | undefined {
  let message: { readonly member?: unknown; readonly payload?: { readonly data?: readonly unknown[] } } | null;
  try {
    message = JSON.parse(line) as typeof message;
  } catch {
    // A word of busctl's own.
    return undefined;
  }
  const first = message?.member === 'PrepareForShutdown' ? message.payload?.data?.[0] : undefined;
  return typeof first === 'boolean' ? first : undefined;
}
