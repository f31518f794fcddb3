import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import type { Login, ServedDashboard } from '@binnacle/dashboard/node';
import type { Wire } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';
import type { ListenAddress } from './listen-address.ts';

const AGENT = 'binnacle-dashboard';

/** Which API server the dashboard shows, and who looks at it by the link. */
export interface DashboardChoice {
  readonly listen: ListenAddress;
  /** Without credentials: those are each viewer's own. */
  readonly server: Pick<HttpWireOptions, 'server' | 'ca' | 'insecureSkipTlsVerify' | 'tlsServerName'>;
  readonly log: Logger;
  readonly scope: Scope;
}

/** Where the page's files are: in the package beside the program, in the house where `npm run build` puts them. */
export function pageFolder(): string | undefined {
  const folders = ['../page/', '../../../../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((folder) => existsSync(`${folder}index.html`));
}

/** Serves the dashboard for one API server. Throws UsageError for an address that others reach, and without the page. */
export async function openDashboard({ listen, server, log, scope }: DashboardChoice): Promise<ServedDashboard> {
  if (!/^(?:127\.|::1$|localhost$)/.test(listen.host)) {
    throw new UsageError('the dashboard is for this machine alone: a loopback address is needed');
  }
  const files = pageFolder();
  if (files === undefined) throw new UsageError('the page of the dashboard is not there: run `npm run build`');
  const { serveDashboard } = await import('@binnacle/dashboard/node');
  return serveDashboard({
    ...listen,
    files,
    open: (login) => wireOf(login, server),
    clock: realClock,
    random: secureRandom,
    log,
    scope: scope.child('dashboard'),
  });
}

/** Credentials are the viewer's, the server is ours: nobody is led to another one. */
async function wireOf(login: Login, server: DashboardChoice['server']): Promise<Wire> {
  if (login.kind === 'token') return createHttpWire({ ...server, token: login.token, userAgent: AGENT });
  const { wire } = await loadKubeconfig(`${login.kubeconfig}\n`);
  const { cert, key, token } = wire;
  return createHttpWire({
    ...server,
    userAgent: AGENT,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
  });
}
