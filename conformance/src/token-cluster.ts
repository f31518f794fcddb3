/** A simulated cluster that many users ask at once, by tokens and over connections that are kept. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { loadKubeconfig } from '@binnacle/client/node';
import { makeFolder, startOneProcess } from '@binnacle/testkit';

/** The certificate is another test's business. */
export const UNSAFE = { rejectUnauthorized: false };

/** How a request ended, and how long its sender waited for the end. */
export interface Sent {
  readonly code: number;
  readonly ms: number;
  readonly text: string;
  /** When it was sent: milliseconds since the epoch, with fractions. */
  readonly at: number;
  /** As the server's audit log calls it. */
  readonly id: string;
}

/** Who sends a request, and what. */
export interface Sending {
  readonly token: string;
  readonly body?: string | undefined;
  /** JSON where absent. */
  readonly type?: string | undefined;
}

export interface TokenCluster {
  readonly server: URL;
  /** `line` as in `GET /api/v1/pods`. */
  send(line: string, sending: Sending): Promise<Sent>;
  /** Of the server's process. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** `users`: the rows of `--token-auth-file`; `flags`: more of the command line. */
export async function startTokenCluster(
  users: readonly string[],
  flags: readonly string[] = [],
): Promise<TokenCluster> {
  const folder = makeFolder();
  const tokens = join(folder.path, 'tokens');
  writeFileSync(tokens, users.map((user) => `${user}\n`).join(''));
  const cluster = await startOneProcess({ runtime: 'simulated' }, ['--token-auth-file', tokens, ...flags]).finally(() =>
    // The server has read it.
    folder.remove(),
  );
  const server = new URL((await loadKubeconfig(cluster.kubeconfig)).wire.server);
  const agent = new Agent({ keepAlive: true, ...UNSAFE });
  return {
    server,
    pid: cluster.pid(),
    send: async (line, { token, body, type = 'application/json' }) => {
      const [method = '', path = ''] = line.split(' ');
      const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) };
      const began = performance.now();
      const call = request(new URL(path, server), { method, headers, agent, ...UNSAFE });
      call.end(body);
      const [response] = await once(call, 'response');
      let text = '';
      for await (const part of response) text += String(part);
      const ms = performance.now() - began;
      const id = String(response.headers['audit-id']);
      return { code: response.statusCode, ms, text, at: performance.timeOrigin + began, id };
    },
    stop: async () => {
      agent.destroy();
      await cluster.stop();
    },
  };
}
