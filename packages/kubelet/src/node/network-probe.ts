import { connect } from 'node:net';
import { realClock } from '@binnacle/base/node';
import { probeGrpc } from './grpc-probe.ts';
import { probeHttp } from './http-probe.ts';
import { goError } from './go-error.ts';
import type { NetworkProbe } from '../network-probe.ts';

/** Probes over the machine's network, from the node itself. Certificates are not verified, as the API says. */
export const nodeNetworkProbe: NetworkProbe = { http: probeHttp, tcp: probeTcp, grpc: probeGrpc };

function probeTcp(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (failure: string | undefined): void => {
      deadline.cancel();
      socket.destroy();
      resolve(failure);
    };
    const deadline = realClock.after(timeoutMs, () => done(`dial tcp ${host}:${port}: i/o timeout`));
    socket.on('connect', () => done(undefined));
    socket.on('error', (error) => done(goError(error, { hostname: host, port })));
  });
}
