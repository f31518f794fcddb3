import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import type { Login, ServedDashboard } from '@binnacle/dashboard/node';
import type { Wire } from '@binnacle/machinery';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import { CommandFailedError, UsageError } from '../errors.ts';
import { adminAccess } from './access.ts';
import type { ListenAddress } from './listen-address.ts';
import type { Progress } from './progress.ts';

const AGENT = 'binnacle-dashboard';

/** Which API server the dashboard shows, and who looks at it by the link. */
export interface DashboardChoice {
  readonly listen: ListenAddress;
  /** Without credentials: those are each viewer's own. */
  readonly server: Pick<HttpWireOptions, 'server' | 'ca' | 'insecureSkipTlsVerify' | 'tlsServerName' | 'proxyUrl'>;
  readonly log: Logger;
  readonly scope: Scope;
}

/** Where the page's files are: in the package beside the program, in the house where `npm run build` puts them. */
export function pageFolder(): string | undefined {
  const folders = ['../page/', '../../../../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((folder) => existsSync(`${folder}index.html`));
}

/** Throws UsageError for an address that others reach. */
export function refuseOpenDashboard({ host }: ListenAddress): void {
  if (!/^(?:127\.|::1$|localhost$)/.test(host))
    throw new UsageError('the dashboard is for this machine alone: a loopback address is needed');
}

/** Serves the dashboard for one API server. Throws UsageError for an address that others reach, CommandFailedError without the page. */
export async function openDashboard({ listen, server, log, scope }: DashboardChoice): Promise<ServedDashboard> {
  refuseOpenDashboard(listen);
  const files = pageFolder();
  if (files === undefined) throw new CommandFailedError('the page of the dashboard is not there: run `npm run build`');
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

/** The dashboard of a cluster of this process. */
export interface OwnDashboard {
  readonly plane: ControlPlane;
  /** Undefined: beside the API server's port, or on any where that is taken. */
  readonly wish: ListenAddress | 'off' | undefined;
  /** The port that was asked for the API server; 0: any. */
  readonly apiPort: number;
  readonly progress: Progress;
  readonly log: Logger;
  readonly scope: Scope;
}

/** Serves it; answers with a link that logs cluster-admin in, once. Undefined: it is off, or its page is not built. */
export async function openOwnDashboard(of: OwnDashboard): Promise<string | undefined> {
  const { plane, wish, apiPort, progress, log, scope } = of;
  if (wish === 'off') return undefined;
  if (wish === undefined && pageFolder() === undefined) {
    progress.say('no dashboard: its page is not built (npm run build)');
    return undefined;
  }
  const { server, ca, certificate, key } = adminAccess(plane);
  const open = (listen: ListenAddress): Promise<ServedDashboard> =>
    openDashboard({ listen, server: { server, ca }, log, scope });
  const served = await open(wish ?? { host: '127.0.0.1', port: apiPort === 0 ? 0 : apiPort + 1 }).catch(
    (error: unknown) => {
      if (wish !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      return open({ host: '127.0.0.1', port: 0 });
    },
  );
  return served.link(async () => createHttpWire({ server, ca, cert: certificate, key, userAgent: AGENT }));
}

/** Credentials are the viewer's, the server is ours: nobody is led to another one. */
async function wireOf(login: Login, server: DashboardChoice['server']): Promise<Wire> {
  if (login.kind === 'token') return createHttpWire({ ...server, token: login.token, userAgent: AGENT });
  const { wire } = await loadKubeconfig(`${login.kubeconfig}\n`);
  const { cert, key, token, impersonate } = wire;
  return createHttpWire({
    ...server,
    userAgent: AGENT,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(impersonate === undefined ? {} : { impersonate }),
  });
}
