import { AbortedError, messageOf } from '@binnacle/base';
import type { ByteSink, Duplex, Logger } from '@binnacle/base';
import { ExecTimeoutError, RuntimeError } from '../errors.ts';
import type { CommandIo, ExecResult } from '../ports.ts';
import type { DockerApi } from './api.ts';
import type { DockerEvents } from './events.ts';
import { FrameReader } from './frames.ts';
import type { ExecMessage } from './messages.ts';

export interface CommandsParts {
  readonly api: DockerApi;
  readonly events: DockerEvents;
  readonly log: Logger;
  /** Runs after so long unless cancelled. */
  after(delayMs: number, run: () => void): { cancel(): void };
}

const OUTPUT_BYTES_MAX = 16 << 20;

/** Commands in containers, and the streams of the containers' own. */
export class DockerCommands {
  readonly #parts: CommandsParts;

  constructor(parts: CommandsParts) {
    this.#parts = parts;
  }

  /** Runs to its end, or for `timeoutMs` (0: as long as it takes); then it is killed: ExecTimeoutError. */
  async exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    const abort = new AbortController();
    const timer = timeoutMs > 0 ? this.#parts.after(timeoutMs, () => abort.abort()) : undefined;
    const [stdout, stderr] = [new KeptOutput(), new KeptOutput()];
    try {
      const exitCode = await this.run(id, command, { tty: false, stdout, stderr, signal: abort.signal });
      return { exitCode, stdout: stdout.bytes, stderr: stderr.bytes };
    } catch (error) {
      if (abort.signal.aborted) throw new ExecTimeoutError(command, timeoutMs, error);
      throw error;
    } finally {
      timer?.cancel();
    }
  }

  /** Joins a new command to `io`. Whoever lets go of it ends it: Docker would leave it running. */
  async run(id: string, command: readonly string[], io: CommandIo): Promise<number> {
    const { api } = this.#parts;
    const nothing = io.stdin === undefined && io.stdout === undefined && io.stderr === undefined;
    const { Id: exec } = await api.call<{ readonly Id: string }>({
      method: 'POST',
      path: `/containers/${id}/exec`,
      body: {
        Cmd: command,
        Tty: io.tty,
        AttachStdin: io.stdin !== undefined,
        AttachStdout: io.stdout !== undefined || nothing,
        AttachStderr: io.stderr !== undefined && !io.tty,
      },
      about: { what: 'container', id },
    });
    const ended = this.#parts.events.execEnd(exec);
    const stream = await api.upgrade({
      method: 'POST',
      path: `/exec/${exec}/start`,
      body: { Detach: false, Tty: io.tty },
      ...(io.signal === undefined ? {} : { signal: io.signal }),
    });
    const said: { text: string } = { text: '' };
    try {
      const heard = { ...io, stdout: new HeardSink(io.stdout, said) };
      await this.#join(stream, heard, `/exec/${exec}/resize`);
    } catch (error) {
      if (io.signal?.aborted === true) await this.#kill(exec);
      throw error;
    }
    return this.#exitCode(exec, ended, said.text);
  }

  /** Joins the first process of a container to `io` until it ends. */
  async attach(id: string, tty: boolean, io: CommandIo): Promise<void> {
    const wanted = { stdin: io.stdin, stdout: io.stdout, stderr: tty ? undefined : io.stderr };
    const query = Object.entries(wanted).map(([name, stream]) => `${name}=${stream === undefined ? 0 : 1}`);
    const stream = await this.#parts.api.upgrade({
      method: 'POST',
      path: `/containers/${id}/attach?stream=1&${query.join('&')}`,
      about: { what: 'container', id },
      ...(io.signal === undefined ? {} : { signal: io.signal }),
    });
    await this.#join(stream, { ...io, tty }, `/containers/${id}/resize`);
  }

  /** Carries bytes both ways until the output ends. Throws AbortedError when `io.signal` says so. */
  async #join(stream: Duplex, io: CommandIo, resizePath: string): Promise<void> {
    const drop = (): void => stream.abort(new AbortedError('the command', io.signal?.reason));
    io.signal?.addEventListener('abort', drop, { once: true });
    if (io.signal?.aborted === true) drop();
    // Never rejects: both say themselves what went wrong.
    void Promise.all([this.#resize(resizePath, io), this.#send(stream, io)]);
    try {
      await (io.tty ? receive(stream, io.stdout) : receiveFrames(stream, io));
      stream.abort();
    } catch (error) {
      stream.abort();
      throw error instanceof AbortedError || error instanceof RuntimeError
        ? error
        : new RuntimeError(messageOf(error), { cause: error });
    } finally {
      io.signal?.removeEventListener('abort', drop);
    }
  }

  async #send(stream: Duplex, { stdin }: CommandIo): Promise<void> {
    if (stdin === undefined) return;
    try {
      for (let chunk = await stdin.read(); chunk !== undefined; chunk = await stdin.read()) await stream.write(chunk);
      await stream.end();
    } catch (error) {
      // The command does not read any more, or the client has gone: the output tells what became of it.
      this.#parts.log.info(4, 'input of a command broke off', { reason: messageOf(error) });
    }
  }

  async #resize(path: string, { sizes }: CommandIo): Promise<void> {
    if (sizes === undefined) return;
    try {
      for await (const { width, height } of sizes) {
        await this.#parts.api.call({ method: 'POST', path: `${path}?w=${width}&h=${height}` });
      }
    } catch (error) {
      this.#parts.log.info(4, 'a terminal keeps its size', { reason: messageOf(error) });
    }
  }

  /** `said`: the beginning of its output, where Docker tells why a command could not be started. */
  async #exitCode(exec: string, ended: Promise<void>, said: string): Promise<number> {
    const look = (): Promise<ExecMessage> => this.#parts.api.call({ method: 'GET', path: `/exec/${exec}/json` });
    let found = await look();
    if (found.Running) {
      await ended;
      found = await look();
    }
    if (found.Pid === 0) throw new RuntimeError(said.trim() || 'the command could not be started');
    if (found.ExitCode === null) throw new RuntimeError('Docker does not tell how the command ended');
    return found.ExitCode;
  }

  async #kill(exec: string): Promise<void> {
    try {
      const { Running, Pid } = await this.#parts.api.call<ExecMessage>({ method: 'GET', path: `/exec/${exec}/json` });
      if (Running && Pid > 0) process.kill(Pid, 'SIGKILL');
    } catch (error) {
      this.#parts.log.info(2, 'a command that was let go of may run on', { exec, reason: messageOf(error) });
    }
  }
}

async function receive(stream: Duplex, stdout: ByteSink | undefined): Promise<void> {
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) await stdout?.write(chunk);
}

async function receiveFrames(stream: Duplex, io: CommandIo): Promise<void> {
  const frames = new FrameReader();
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
    for (const { stream: name, data } of frames.take(chunk)) await io[name]?.write(data);
  }
  frames.end();
}

/** Keeps the beginning of an output, and lets the rest go. */
class KeptOutput implements ByteSink {
  #parts: Uint8Array[] = [];
  #length = 0;

  get bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  write(chunk: Uint8Array): Promise<void> {
    const kept = chunk.subarray(0, OUTPUT_BYTES_MAX - this.#length);
    if (kept.length > 0) this.#parts.push(kept);
    this.#length += kept.length;
    return Promise.resolve();
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  abort(): void {
    this.#parts = [];
  }
}

const HEARD_CHARACTERS_MAX = 4096;

/** Hands on, and remembers the beginning. */
class HeardSink implements ByteSink {
  readonly #to: ByteSink | undefined;
  readonly #said: { text: string };

  constructor(to: ByteSink | undefined, said: { text: string }) {
    this.#to = to;
    this.#said = said;
  }

  async write(chunk: Uint8Array): Promise<void> {
    const room = HEARD_CHARACTERS_MAX - this.#said.text.length;
    if (room > 0) this.#said.text += new TextDecoder().decode(chunk.subarray(0, room));
    await this.#to?.write(chunk);
  }

  async end(): Promise<void> {
    await this.#to?.end();
  }

  abort(error?: Error): void {
    this.#to?.abort(error);
  }
}
