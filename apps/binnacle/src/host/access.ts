import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import { CommandFailedError } from '../errors.ts';
import type { Access } from './kubeconfig.ts';

/** How cluster-admin reaches a control plane of this process. */
export function adminAccess(plane: ControlPlane): Access {
  const admin = plane.certificates.clients['admin'];
  if (admin === undefined) throw new CommandFailedError('the admin certificate is missing');
  return { server: plane.url, ca: plane.rootCA, certificate: admin.certificate, key: admin.key };
}
