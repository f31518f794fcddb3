import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from '@binnacle/base';
import { duplexOf } from '@binnacle/base/node';
import { PROGRAM_PATH } from '../containerd/host.ts';
import { RuntimeError } from '../errors.ts';

const DIAL_MS_MAX = 30_000;

/**
 * Runs in the pod's network namespace, for one connection: a socket stays in the namespace where it was made, whoever
 * holds it. Paused, so that what the other side says first is not read here.
 */
const DIAL = `
const { Socket } = require('node:net');
const dial = (port, hosts, last) => {
  const [host, ...others] = hosts;
  if (host === undefined) return process.send({ error: last }, () => process.disconnect());
  const socket = new Socket({ allowHalfOpen: true }).pause();
  socket.once('error', (error) => dial(port, others, last || error.message));
  socket.connect({ host, port }, () => {
    socket.removeAllListeners('error');
    process.send({}, socket, () => process.disconnect());
  });
};
process.once('message', ({ port }) => dial(port, ['127.0.0.1', '::1']));
`;

/** A connection to a port on the loopback of a process's network namespace. Throws RuntimeError where nobody listens. */
export async function dialWithin(pid: number, port: number): Promise<Duplex> {
  const child = spawn('nsenter', [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', DIAL], {
    env: { PATH: PROGRAM_PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // The timer of `timeout` would outlive a program that is not there.
    signal: AbortSignal.timeout(DIAL_MS_MAX),
    killSignal: 'SIGKILL',
  });
  try {
    const answered = answerOf(child, port);
    child.send({ port });
    return duplexOf(await answered);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function answerOf(child: ChildProcess, port: number): Promise<Socket> {
  const ended = once(child, 'exit').then(() => [{ error: 'the namespace of the pod could not be entered' }, undefined]);
  const [{ error }, socket] = (await Promise.race([once(child, 'message'), ended])) as [
    { readonly error?: string },
    Socket | undefined,
  ];
  if (socket !== undefined) return socket;
  const why = /ECONNREFUSED/.test(error ?? '') ? 'connection refused' : (error ?? 'no connection');
  throw new RuntimeError(`failed to connect to localhost:${port} inside the pod: ${why}`);
}
