import { realClock } from '@binnacle/base/node';
import { ensureCertificates } from '@binnacle/certificates/node';
import { KEPT_CLIENTS } from '@binnacle/cluster/node/control-plane';
import { openDataDir } from '../host/data-dir.ts';
import { renderKubeconfig } from '../host/kubeconfig.ts';

/** The flags of `binnacle kubeconfig`. */
export interface KubeconfigFlags {
  readonly dataDir: string;
  readonly server: string;
  readonly user: string;
  readonly group?: readonly string[];
}

/** `binnacle kubeconfig`: prints a kubeconfig with a certificate for a component, signed by the cluster's CA. */
export async function kubeconfig(flags: KubeconfigFlags): Promise<void> {
  const certificates = await ensureCertificates(openDataDir(flags.dataDir).pki, {
    hostnames: [],
    ips: [],
    clients: KEPT_CLIENTS,
    clock: realClock,
  });
  const issued = certificates.issueClientCertificate({
    commonName: flags.user,
    organizations: [...(flags.group ?? [])],
  });
  const access = { server: flags.server, ca: certificates.ca, certificate: issued.certificate, key: issued.key };
  process.stdout.write(renderKubeconfig(flags.user, access));
}
