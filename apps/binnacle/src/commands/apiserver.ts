import { realClock, secureRandom } from '@binnacle/base/node';
import { ADMIN } from '@binnacle/cluster/identities';
import { startControlPlane } from '@binnacle/cluster/node/control-plane';
import { openDataDir } from '../host/data-dir.ts';
import { mergeKubeconfig, refuseOddKubeconfig } from '../host/kubeconfig.ts';
import { noteProcess } from '../host/processes.ts';
import { runUntilStopped, sinceStart } from '../host/process.ts';
import { exportTraceIfWanted, traceChoice } from '../host/trace-choice.ts';
import type { TraceChoice } from '../host/trace-choice.ts';
import { storeChoice } from '../host/store-choice.ts';
import type { EtcdFlags } from '../host/store-choice.ts';
import { requestChoice } from '../host/request-choice.ts';
import type { RequestFlags } from '../host/request-choice.ts';
import { admissionChoice } from '../host/admission-choice.ts';
import { servingChoice } from '../host/feature-choice.ts';
import type { ServingFlags } from '../host/feature-choice.ts';
import type { AdmissionFlags } from '../host/admission-choice.ts';
import { authorityChoice } from '../host/authority-choice.ts';
import type { AuthorityFlags } from '../host/authority-choice.ts';
import { encryptionChoice } from '../host/encryption-choice.ts';
import type { EncryptionFlags } from '../host/encryption-choice.ts';
import { readKubeletCa } from '../host/kubelet-ca.ts';
import { refuseOtherRange, serviceRangesOf } from '../host/service-ranges.ts';
import type { ServiceRangeFlags } from '../host/service-ranges.ts';
import { refuseLonelyFlags } from '../host/lonely-flags.ts';
import { buildCommit } from '../host/build-commit.ts';
import { adminAccess } from '../host/access.ts';
import type { ListenAddress } from '../host/listen-address.ts';

/** The flags of `binnacle apiserver`. */
export interface ApiServerFlags
  extends
    EtcdFlags,
    EncryptionFlags,
    AdmissionFlags,
    AuthorityFlags,
    RequestFlags,
    ServingFlags,
    TraceChoice,
    Pick<ServiceRangeFlags, 'serviceClusterIpRange'> {
  /** Milliseconds. */
  readonly eventTtl?: number;
  /** Milliseconds. */
  readonly etcdCompactionInterval?: number;
  readonly dataDir: string;
  readonly store: 'sqlite' | 'memory' | 'etcd';
  readonly acceptDataLoss?: boolean;
  readonly listen: ListenAddress;
  readonly advertiseAddress?: string;
  readonly kubeletCertificateAuthority?: string;
  readonly kubeconfig?: string;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle apiserver`: the API server alone. */
export async function apiserver(flags: ApiServerFlags): Promise<void> {
  refuseLonelyFlags(flags);
  const addresses = { ...flags, podCidr: [] };
  const serviceCidrs = serviceRangesOf(addresses);
  if (flags.kubeconfig !== undefined) await refuseOddKubeconfig(flags.kubeconfig);
  const dataDir = openDataDir(flags.dataDir);
  const forget = noteProcess(dataDir, 'apiserver');
  await runUntilStopped('apiserver', flags.v, async (scope, log) => {
    scope.defer(forget);
    const world = { clock: realClock, random: secureRandom, log };
    let listening = 0;
    const plane = await startControlPlane({
      world,
      scope,
      pki: dataDir.pki,
      store: storeChoice(flags, dataDir),
      listen: flags.listen,
      serviceCidrs,
      ...traceChoice(flags),
      ...(flags.advertiseAddress === undefined ? {} : { advertiseAddress: flags.advertiseAddress }),
      ...(await encryptionChoice(flags)),
      ...(await authorityChoice(flags)),
      ...(flags.eventTtl === undefined ? {} : { eventTtlSeconds: flags.eventTtl / 1000 }),
      ...(flags.etcdCompactionInterval === undefined ? {} : { compactionIntervalMs: flags.etcdCompactionInterval }),
      commit: buildCommit(),
      ...servingChoice(flags, (text) => log.warn(text)),
      ...(await admissionChoice(flags)),
      ...(await requestChoice(flags, (text) => log.warn(text))),
      ...readKubeletCa(flags.kubeletCertificateAuthority),
      onListening: () => (listening = sinceStart()),
    });
    await refuseOtherRange(plane.clientAs(ADMIN), addresses);
    const ready = sinceStart();
    await exportTraceIfWanted(flags, { plane, world, scope });
    const { kubeconfig = '' } = flags;
    if (kubeconfig !== '') await mergeKubeconfig(kubeconfig, 'binnacle', adminAccess(plane));
    if (flags.output === 'json') {
      process.stdout.write(
        `${JSON.stringify({ server: plane.url, kubeconfig, pid: process.pid, listening, ready })}\n`,
      );
    } else {
      process.stderr.write(`binnacle: API server ready at ${plane.url}\n`);
    }
  });
}
