import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { messageOf, plainAddress } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { nodeHttp, realClock } from '@binnacle/base/node';
import { answerHealthCheck } from '@binnacle/proxy';
import type { HealthCheck, HealthCheckPorts } from '@binnacle/proxy';
import { InsiderGate } from './insiders.ts';

interface Open {
  readonly port: number;
  readonly server: Server;
  check: HealthCheck;
}

/** Bounds of what strangers may hold: a load balancer asks one short question. */
const CONNECTIONS_MAX = 100;
const REQUEST_MS_MAX = 5_000;
const KEEP_ALIVE_MS = 5_000;

type Surroundings = Parameters<HealthCheckPorts['keep']>[1];

/** Servers of health check node ports, which answer at the machine's addresses that node ports do; they close with the scope. */
export function openHealthCheckPorts(scope: Scope): HealthCheckPorts {
  const open = new Map<string, Open>();
  let around: Surroundings | undefined;
  const gate = new InsiderGate(() => around?.insiders, realClock);
  /** What could not be listened on, each with its port: told once, tried each time. */
  const refused = new Set<string>();
  const close = async (key: string): Promise<void> => {
    const { server } = open.get(key) ?? {};
    open.delete(key);
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const listen = async (key: string, check: HealthCheck): Promise<void> => {
    const server = nodeHttp().createServer(
      { requestTimeout: REQUEST_MS_MAX, keepAliveTimeout: KEEP_ALIVE_MS },
      (_request, reply) => answer(reply, open.get(key)?.check ?? check, around?.isHealthy() === true),
    );
    server.maxConnections = CONNECTIONS_MAX;
    server.on('connection', (socket) => {
      const isAsked = around?.addresses?.includes(plainAddress(socket.localAddress ?? '')) ?? true;
      if (!isAsked || !gate.letsIn(socket.remoteAddress ?? '')) socket.destroy();
    });
    try {
      server.listen(check.port);
      await once(server, 'listening');
      open.set(key, { port: check.port, server, check });
      refused.delete(refusal(key, check));
    } catch (error) {
      if (!refused.has(refusal(key, check))) around?.refused(check, messageOf(error));
      refused.add(refusal(key, check));
    }
  };
  scope.defer(async () => {
    for (const key of open.keys()) await close(key);
  });
  return {
    async keep(checks, surroundings) {
      around = surroundings;
      for (const [key, { port }] of open) if (checks.get(key)?.port !== port) await close(key);
      const asked = new Set([...checks].map(([key, check]) => refusal(key, check)));
      for (const one of refused) if (!asked.has(one)) refused.delete(one);
      for (const [key, check] of checks) {
        const there = open.get(key);
        if (there === undefined) await listen(key, check);
        else there.check = check;
      }
    },
  };
}

function refusal(key: string, { port }: HealthCheck): string {
  return `${key} ${port}`;
}

function answer(reply: ServerResponse, check: HealthCheck, isHealthy: boolean): void {
  const { status, type, headers, body } = answerHealthCheck(check, isHealthy);
  reply.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  reply.end(body);
}
