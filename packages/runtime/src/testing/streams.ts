import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { RuntimeError, RuntimeNotFoundError } from '../errors.ts';
import type { CommandIo } from '../ports.ts';
import type { Bench } from './bench.ts';
import { plainContainer, plainSandbox } from './harness.ts';

const LARGE_BYTES = 3_000_000;

export function streamTests(bench: Bench): void {
  commandTests(bench);
  attachTests(bench);
  forwardTests(bench);
}

/** A client's ends of a command's streams. */
interface Client {
  readonly io: CommandIo;
  readonly stdin: Duplex;
  readonly stdout: Duplex;
  readonly stderr: Duplex;
  /** Ends the outputs, which a runtime does not. */
  end(): Promise<void>;
}

function client(given: Partial<Pick<CommandIo, 'tty' | 'signal' | 'sizes'>> = {}): Client {
  const [stdin, stdinFar] = createDuplexPair();
  const [stdout, stdoutFar] = createDuplexPair();
  const [stderr, stderrFar] = createDuplexPair();
  return {
    io: { tty: false, ...given, stdin, stdout, stderr },
    stdin: stdinFar,
    stdout: stdoutFar,
    stderr: stderrFar,
    end: async () => {
      await Promise.all([stdout.end(), stderr.end()]);
    },
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function textOf(stream: Duplex): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) text += decoder.decode(chunk);
  return text;
}

async function untilText(stream: Duplex, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const chunk = await stream.read();
    assert.ok(chunk !== undefined, `ended before ${JSON.stringify(wanted)}: ${JSON.stringify(text)}`);
    text += new TextDecoder().decode(chunk);
  }
  return text;
}

function commandTests(bench: Bench): void {
  test('a streamed command: output, errors and exit code', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const me = client();
    const code = await runtime.runCommand(pod.containerId, ['sh', '-c', 'echo out; echo err >&2; exit 7'], me.io);
    await me.end();
    assert.deepEqual([code, await textOf(me.stdout), await textOf(me.stderr)], [7, 'out\n', 'err\n']);
    assert.equal(await runtime.runCommand(pod.containerId, ['true'], { tty: false }), 0);
  });

  test('the end of the input ends a command that reads it; nothing is lost of much', { timeout: 30_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const me = client();
    const running = runtime.runCommand(pod.containerId, ['cat'], me.io);
    const sending = (async () => {
      const piece = new Uint8Array(30_000).fill(0x61);
      for (let sent = 0; sent < LARGE_BYTES; sent += piece.length) await me.stdin.write(piece.slice());
      await me.stdin.end();
    })();
    const reading = textOf(me.stdout);
    assert.equal(await running, 0);
    await sending;
    await me.end();
    assert.equal((await reading).length, LARGE_BYTES);
  });

  test('a terminal: what is typed is shown, errors come with the output', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    async function* sizes(): AsyncGenerator<{ width: number; height: number }> {
      yield { width: 100, height: 40 };
    }
    const me = client({ tty: true, sizes: sizes() });
    const running = runtime.runCommand(pod.containerId, ['sh'], me.io);
    await untilText(me.stdout, '# ');
    await me.stdin.write(bytes('echo one two\r'));
    await untilText(me.stdout, '\r\none two\r\n');
    await me.stdin.write(bytes('exit 4\r'));
    assert.equal(await running, 4);
  });

  test('a client that leaves is let go of', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const abort = new AbortController();
    const me = client({ signal: abort.signal });
    const running = runtime.runCommand(pod.containerId, ['sh', '-c', 'echo on; cat; sleep 0'], me.io).then(
      () => 'ended',
      () => 'ended',
    );
    await untilText(me.stdout, 'on');
    abort.abort();
    me.stdin.abort();
    assert.equal(await running, 'ended');
  });

  test('what cannot run is an error, and so is a container that does not', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    await assert.rejects(runtime.runCommand('gone', ['true'], { tty: false }), RuntimeNotFoundError);
    const pod = await bench.pod(harness.obedient);
    await assert.rejects(
      runtime.runCommand(pod.containerId, ['/no/such/program'], client().io),
      (error) => error instanceof RuntimeError && /no such file|executable file not found/.test(error.message),
    );
    await runtime.stopContainer(pod.containerId, 0);
    await assert.rejects(runtime.runCommand(pod.containerId, ['true'], { tty: false }), RuntimeError);
  });
}

function attachTests(bench: Bench): void {
  test('attach joins the first process of a container', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const { uid, id } = await bench.sandbox();
    const config = { ...plainContainer(harness.image, ['sh']), stdin: true, stdinOnce: true };
    const containerId = await runtime.createContainer(id, config, plainSandbox(harness, uid));
    await runtime.startContainer(containerId);
    const me = client();
    const attached = runtime.attach(containerId, me.io);
    await me.stdin.write(bytes('echo from within\n'));
    await untilText(me.stdout, 'from within\n');
    await me.stdin.write(bytes('exit 3\n'));
    await attached;
    await bench.events.next('stopped', containerId);
    assert.equal((await runtime.containerStatus(containerId)).exitCode, 3);
  });

  test('attach ends with its signal, and with the container', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const abort = new AbortController();
    const { stdout } = client().io;
    const left = runtime.attach(pod.containerId, {
      tty: false,
      ...(stdout === undefined ? {} : { stdout }),
      signal: abort.signal,
    });
    const settled = left.then(
      () => true,
      (error: unknown) => error instanceof Error,
    );
    abort.abort();
    assert.equal(await settled, true);
    const second = runtime.attach(pod.containerId, client().io);
    await Promise.all([second, runtime.stopContainer(pod.containerId, 0)]);
  });
}

function forwardTests(bench: Bench): void {
  test('a port of the pod is reached from within', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.serving);
    await runtime.exec(pod.containerId, ['sh', '-c', 'until [ -e /listening ]; do sleep 0.05; done'], 20_000);
    for (let i = 0; i < 3; i++) {
      const stream = await runtime.portForward(pod.sandboxId, 8080);
      await stream.write(bytes('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'));
      const answer = await untilText(stream, 'hello\n');
      assert.match(answer, /^HTTP\/1\.[01] 200 OK/);
      stream.abort();
      await stream.closed;
    }
  });

  test('a port where nobody listens says so', { timeout: 20_000 }, async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    await assert.rejects(async () => {
      const stream = await runtime.portForward(pod.sandboxId, 8081);
      while ((await stream.read()) !== undefined);
      const error = await stream.closed;
      if (error !== undefined) throw error;
    }, /refused/);
  });
}
