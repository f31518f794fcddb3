import { CONFIG_MAPS, wellknown } from '@binnacle/api';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { syncFigures } from '../sync-figures.ts';
import { runPerNamespace } from '../per-namespace.ts';

const DESCRIPTION = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Starts the controller that publishes the API server's authority in each namespace, for pods to trust. */
export function runRootCaPublisher(kit: ControllerKit, options: { readonly rootCA: string }): Controller {
  const data = { 'ca.crt': options.rootCA };
  return runPerNamespace(kit, {
    controller: 'root-ca-certificate-publisher',
    around: syncFigures(kit, 'root_ca_cert_publisher'),
    ref: CONFIG_MAPS,
    name: wellknown.ROOT_CA_CONFIG_MAP,
    draft: () => ({ metadata: { name: wellknown.ROOT_CA_CONFIG_MAP, annotations: DESCRIPTION }, data }),
    mend: (existing) => {
      const keys = Object.keys(existing.data ?? {});
      const right = keys.length === 1 && existing.data?.['ca.crt'] === options.rootCA;
      return right ? existing : { ...existing, data };
    },
  });
}
