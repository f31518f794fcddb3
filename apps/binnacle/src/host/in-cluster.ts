import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { environmentProxyOf } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import { UsageError } from '../errors.ts';

/** Where a kubelet mounts what a pod's service account needs. */
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a pod knows of its cluster. */
export interface PodSurroundings {
  readonly env: { readonly [name: string]: string | undefined };
  /** `/var/run/secrets/kubernetes.io/serviceaccount` where absent. */
  readonly folder?: string;
}

/**
 * How a process in a pod reaches the API server: by the Service of its environment (and through the proxy that this names, unless
 * NO_PROXY excepts it), as its own service account. Throws
 * UsageError where it is in no pod, or its account has no token there.
 */
export async function inClusterAccess({ env, folder = ACCOUNT_FOLDER }: PodSurroundings): Promise<HttpWireOptions> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '')
    throw new UsageError('--kubeconfig is needed: this process is in no pod of a cluster');
  const tokenFile = join(folder, 'token');
  const files = [tokenFile, join(folder, 'ca.crt')];
  const [, ca] = await Promise.all(files.map((file) => readFile(file, 'utf8'))).catch((cause: unknown) => {
    throw new UsageError(`--kubeconfig is needed: the pod's account has no token and authority in ${folder}`, cause);
  });
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    server,
    tokenFile,
    ...environmentProxyOf(env, server),
    ...(ca === undefined ? {} : { ca }),
  };
}
