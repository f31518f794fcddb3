import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { messageOf } from '@binnacle/base';
import { UpstreamError } from '../errors.ts';
import type { Exchange, Upstream } from '../ports.ts';
import { MessageSplitter, withLength } from './framing.ts';

type AskOptions = Parameters<Exchange['ask']>[2];

/** Asks over UDP or TCP, with a socket of its own, and so a random port, for each question. */
export const networkExchange: Exchange = {
  ask: (upstream, message, options) =>
    options.stream ? askStream(upstream, message, options) : askDatagram(upstream, message, options),
};

function askDatagram(
  { host, port }: Upstream,
  message: Uint8Array,
  { timeoutMs, accepts }: AskOptions,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const timer = setTimeout(() => finish(() => reject(noAnswer(host, port))), timeoutMs);
    const finish = (how: () => void): void => {
      clearTimeout(timer);
      socket.close();
      how();
    };
    socket.once('error', (error) => finish(() => reject(noAnswer(host, port, error))));
    socket.on('message', (reply) => {
      // A connected socket hears that server only; what answers something else is not meant for us.
      if (accepts(reply)) finish(() => resolve(reply));
    });
    // Where there is no way to the server, it is this callback that hears of it, and nobody else.
    socket.connect(port, host, (error?: Error) => {
      if (error === undefined) socket.send(message);
      else finish(() => reject(noAnswer(host, port, error)));
    });
  });
}

function askStream(
  { host, port }: Upstream,
  message: Uint8Array,
  { timeoutMs, accepts }: AskOptions,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => finish(() => reject(noAnswer(host, port))), timeoutMs);
    const finish = (how: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      how();
    };
    const splitter = new MessageSplitter();
    socket.on('data', (chunk) => {
      splitter.push(chunk);
      for (let reply = splitter.next(); reply !== undefined; reply = splitter.next()) {
        const found = reply;
        if (accepts(found)) return finish(() => resolve(found));
      }
    });
    socket.once('error', (error) => finish(() => reject(noAnswer(host, port, error))));
    socket.once('end', () => finish(() => reject(noAnswer(host, port))));
    // Not the end of it: many a server hangs up on who seems to be gone, with the answer still to come.
    socket.write(withLength(message));
  });
}

function noAnswer(host: string, port: number, cause?: unknown): UpstreamError {
  const why = cause === undefined ? 'in time' : messageOf(cause);
  return new UpstreamError(`no answer from ${host} port ${port}: ${why}`, cause);
}
