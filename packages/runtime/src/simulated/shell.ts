import type { Clock } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';
import type { CommandIo } from '../ports.ts';
import { parseScript } from './shell-words.ts';
import type { ShellCommand } from './shell-words.ts';

/** Where a command runs. */
export interface ShellWorld {
  readonly clock: Clock;
  readonly hostname: string;
}

type Program = (shell: Shell, args: readonly string[]) => Promise<number>;

const NOT_FOUND = 127;
const INTERRUPTED = 130;
const LINE_BYTES_MAX = 64 * 1024;
const ENCODER = new TextEncoder();

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['true', async () => 0],
  ['false', async () => 1],
  ['echo', echo],
  ['cat', cat],
  ['sleep', sleep],
  ['hostname', (shell) => shell.print(`${shell.world.hostname}\n`)],
  ['sh', runShell],
  ['/bin/sh', runShell],
  ['bash', runShell],
  ['/bin/bash', runShell],
]);

/**
 * Runs one of the few programs that every simulated container has: true, false, echo, cat, sleep, hostname, and a
 * shell with `-c` or reading its input. Throws RuntimeError for any other, in a runtime's words.
 */
export async function runProgram(world: ShellWorld, command: readonly string[], io: CommandIo): Promise<number> {
  const [name = '', ...args] = command;
  const program = PROGRAMS.get(name);
  if (program === undefined) {
    throw new RuntimeError(
      `OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(name)}: executable file not found in $PATH: unknown`,
      { code: 'no-program' },
    );
  }
  return program(new Shell(world, io), args);
}

/** One process tree: its streams, and whether its shell goes on. */
class Shell {
  readonly world: ShellWorld;
  readonly io: CommandIo;
  exited: number | undefined;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(world: ShellWorld, io: CommandIo) {
    this.world = world;
    this.io = io;
  }

  async print(text: string): Promise<number> {
    await this.write(ENCODER.encode(this.io.tty ? text.replaceAll('\n', '\r\n') : text));
    return 0;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.io.stdout?.write(bytes);
  }

  async complain(text: string): Promise<void> {
    const sink = this.io.tty ? this.io.stdout : this.io.stderr;
    await sink?.write(ENCODER.encode(this.io.tty ? text.replaceAll('\n', '\r\n') : text));
  }

  /** The next input, as it comes. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#rest.length > 0) {
      const rest = this.#rest;
      this.#rest = new Uint8Array(0);
      return rest;
    }
    return this.io.stdin?.read();
  }

  /** The next line without its end; undefined at the end of input. A terminal shows what is typed. */
  async readLine(): Promise<string | undefined> {
    const bytes: number[] = [];
    for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read()) {
      for (const [at, byte] of chunk.entries()) {
        const isEnd = byte === 0x0a || (this.io.tty && byte === 0x0d);
        if (this.io.tty && byte === 0x04 && bytes.length === 0) return undefined;
        if (this.io.tty && byte === 0x03) bytes.length = 0;
        else if (!isEnd && bytes.length < LINE_BYTES_MAX) bytes.push(byte);
        if (!isEnd) continue;
        this.#rest = chunk.subarray(at + 1);
        if (this.io.tty) await this.write(ENCODER.encode(`${text(bytes)}\r\n`));
        return text(bytes);
      }
    }
    return bytes.length > 0 ? text(bytes) : undefined;
  }
}

function text(bytes: readonly number[]): string {
  return new TextDecoder().decode(new Uint8Array(bytes));
}

async function echo(shell: Shell, args: readonly string[]): Promise<number> {
  const bare = args[0] === '-n';
  return shell.print(`${args.slice(bare ? 1 : 0).join(' ')}${bare ? '' : '\n'}`);
}

async function cat(shell: Shell): Promise<number> {
  for (let chunk = await shell.read(); chunk !== undefined; chunk = await shell.read()) await shell.write(chunk);
  return 0;
}

function sleep(shell: Shell, [seconds = '0']: readonly string[]): Promise<number> {
  const { clock } = shell.world;
  const { signal } = shell.io;
  return new Promise((resolve) => {
    const wake = (code: number) => (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', interrupt);
      resolve(code);
    };
    const interrupt = wake(INTERRUPTED);
    const timer = clock.after((Number(seconds) || 0) * 1000, wake(0));
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted === true) interrupt();
  });
}

async function runShell(shell: Shell, args: readonly string[]): Promise<number> {
  if (args[0] === '-c') return runScript(shell, args[1] ?? '');
  let code = 0;
  for (;;) {
    if (shell.io.tty) await shell.print('/ # ');
    const line = await shell.readLine();
    if (line === undefined) return code;
    code = await runScript(shell, line);
    if (shell.exited !== undefined) return shell.exited;
  }
}

async function runScript(shell: Shell, script: string): Promise<number> {
  let code = 0;
  for (const command of parseScript(script)) {
    const skipped = (command.after === '&&' && code !== 0) || (command.after === '||' && code === 0);
    if (skipped) continue;
    code = await runCommand(shell, command);
    if (shell.exited !== undefined) return shell.exited;
  }
  return code;
}

async function runCommand(shell: Shell, { words, toStderr }: ShellCommand): Promise<number> {
  const [name = '', ...args] = words;
  if (name === 'exit') {
    shell.exited = Number(args[0] ?? 0) & 0xff;
    return shell.exited;
  }
  const program = PROGRAMS.get(name);
  if (program === undefined) {
    await shell.complain(`sh: ${name}: not found\n`);
    return NOT_FOUND;
  }
  if (!toStderr || shell.io.stderr === undefined) return program(shell, args);
  return program(new Shell(shell.world, { ...shell.io, stdout: shell.io.stderr }), args);
}
