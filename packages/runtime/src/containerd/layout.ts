import { join } from 'node:path';
import { RuntimeError } from '../errors.ts';

/** Where the private containerd keeps what; everything is below one folder. */
export interface Layout {
  readonly base: string;
  readonly config: string;
  readonly root: string;
  readonly state: string;
  /**
   * Where containerd finds it, in its own namespace: users of a pod's own come only where every folder above lets everybody
   * pass, and those above ours do not. There once a namespace was made with it.
   */
  readonly passableState: { readonly path: string; readonly place: string };
  readonly socket: string;
  readonly opt: string;
  readonly runcRoot: string;
  readonly cniConfigDir: string;
  readonly cniIpamDir: string;
  /** What libcni notes of each pod. */
  readonly cniCacheDir: string;
  readonly cniConfig: string;
  readonly certsDir: string;
  readonly pidFile: string;
  readonly log: string;
  /** A folder that is a private mount, so that a mount namespace can be kept in it. */
  readonly namespaceDir: string;
  readonly namespace: string;
  /** Stand in for folders that every containerd and CNI on a machine share. */
  readonly standIns: readonly { readonly shared: string; readonly own: string }[];
  readonly images: string;
  readonly sandboxImage: string;
}

// sun_path has 108 bytes; containerd adds `.ttrpc` to its address.
const SOCKET_PATH_MAX = 100;

export function layoutOf(stateDir: string): Layout {
  const base = stateDir;
  const socket = join(base, 'containerd.sock');
  if (socket.length > SOCKET_PATH_MAX) {
    throw new RuntimeError(`${socket} is too long for a unix socket; choose a shorter state folder`, {
      code: 'path-too-long',
    });
  }
  return {
    base,
    socket,
    config: join(base, 'config.toml'),
    root: join(base, 'root'),
    state: join(base, 'state'),
    passableState: { path: '/run/containerd/state', place: join(base, 'run/state') },
    opt: join(base, 'opt'),
    runcRoot: join(base, 'runc'),
    cniConfigDir: join(base, 'cni/net.d'),
    cniIpamDir: join(base, 'cni/ipam'),
    cniCacheDir: join(base, 'cni/cache'),
    cniConfig: join(base, 'cni/net.d/10-binnacle.conflist'),
    certsDir: join(base, 'certs.d'),
    pidFile: join(base, 'containerd.pid'),
    log: join(base, 'containerd.log'),
    namespaceDir: join(base, 'ns'),
    namespace: join(base, 'ns/mnt'),
    standIns: [
      { shared: '/run/containerd', own: join(base, 'run') },
      { shared: '/run/netns', own: join(base, 'netns') },
      { shared: '/var/lib/cni', own: join(base, 'cni/cache') },
    ],
    images: join(base, 'images'),
    sandboxImage: join(base, 'images/pause.tar'),
  };
}

/** The file that keeps the mount namespace which the containerd of a state folder lives in. Throws RuntimeError for too long a path. */
export function containerdMountNamespace(stateDir: string): string {
  return layoutOf(stateDir).namespace;
}
