import { createHttpWire } from '@binnacle/client/node';
import { userKubeconfig } from '../host/kubeconfig.ts';
import { openDashboard } from '../host/dashboard.ts';
import type { ListenAddress } from '../host/listen-address.ts';
import { runUntilStopped } from '../host/process.ts';

/** The flags of `binnacle dashboard`. */
export interface DashboardFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly listen: ListenAddress;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle dashboard`: the dashboard for any cluster that a kubeconfig leads to, until it is asked to stop. */
export async function dashboard(flags: DashboardFlags): Promise<void> {
  await runUntilStopped('dashboard', flags.v, async (scope, log) => {
    const { wire } = await userKubeconfig(flags.kubeconfig, flags.context);
    const { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl } = wire;
    const served = await openDashboard({
      listen: flags.listen,
      server: {
        server,
        ...(ca === undefined ? {} : { ca }),
        ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
        ...(tlsServerName === undefined ? {} : { tlsServerName }),
        ...(proxyUrl === undefined ? {} : { proxyUrl }),
      },
      log,
      scope,
    });
    const url = served.link(async () => createHttpWire({ ...wire, userAgent: 'binnacle-dashboard' }));
    if (flags.output === 'json') process.stdout.write(`${JSON.stringify({ url, pid: process.pid })}\n`);
    else process.stdout.write(`${url}\n`);
  });
}
