import { SERVICE_ACCOUNTS, isMirrorPod, secretNamesOf, wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Container, Pod, ServiceAccount, Volume } from '@binnacle/api/core/v1';
import { nameSuffix } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_VOLUME_PREFIX = 'kube-api-access-';
/** An hour and seven seconds: kubelets know by it that older programs may ignore the token's end. */
const TOKEN_SECONDS = 3607;
/** How long a pod waits for the `default` account of a namespace that was made a moment ago. */
const DEFAULT_WAIT_MS = 1500;

export interface ServiceAccountWorld {
  readonly cache: CacheReader;
  readonly clock: Clock;
  readonly random: Random;
}

/** Gives every pod an identity: its ServiceAccount, that account's pull secrets, and a volume with a token. */
export function createServiceAccountAdmission(world: ServiceAccountWorld): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    changes: ['spec.serviceAccountName', 'spec.volumes', 'spec.imagePullSecrets'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' && info.group === '' && info.resource === 'pods' && subresource === '',
    admit(attributes) {
      const pod = attributes.object as Draft<Pod>;
      if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
      pod.spec.serviceAccountName ||= 'default';
      pod.spec.serviceAccount = pod.spec.serviceAccountName;
      const name = pod.spec.serviceAccountName;
      const account = world.cache.get(SERVICE_ACCOUNTS, attributes.namespace, name) as ServiceAccount | undefined;
      if (account !== undefined) return apply(pod, account, world.random);
      return findAndApply(attributes, pod, world);
    },
  };
}

async function findAndApply(
  attributes: AdmissionAttributes,
  pod: Draft<Pod>,
  world: ServiceAccountWorld,
): Promise<void> {
  const { namespace } = attributes;
  const name = pod.spec.serviceAccountName ?? '';
  const account =
    ((await world.cache.getLive(SERVICE_ACCOUNTS, namespace, name)) as ServiceAccount | undefined) ??
    (name === 'default' ? await waitFor(world, namespace, name) : undefined);
  if (account === undefined) {
    const why = `serviceaccount "${name}" not found`;
    throw refuse(attributes, `error looking up service account ${namespace}/${name}: ${why}`);
  }
  apply(pod, account, world.random);
}

/** The account's first appearance in the cache, or undefined when it does not come in time. */
function waitFor(
  { cache, clock }: ServiceAccountWorld,
  namespace: string,
  name: string,
): Promise<ServiceAccount | undefined> {
  return new Promise((resolve) => {
    const finish = (account: ServiceAccount | undefined): void => {
      timer.cancel();
      unfollow();
      resolve(account);
    };
    const timer = clock.after(DEFAULT_WAIT_MS, () => finish(undefined), { background: true });
    const unfollow = cache.follow(SERVICE_ACCOUNTS, (_before, after) => {
      const found = after?.metadata.namespace === namespace && after.metadata.name === name;
      // In a later turn: `follow` may call before it has returned.
      if (found) clock.soon(() => finish(after as ServiceAccount));
    });
  });
}

function apply(pod: Draft<Pod>, account: ServiceAccount, random: Random): void {
  if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, random);
  if ((pod.spec.imagePullSecrets?.length ?? 0) === 0 && (account.imagePullSecrets?.length ?? 0) > 0) {
    pod.spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((secret) => ({ ...secret }));
  }
}

function mountToken(pod: Draft<Pod>, random: Random): void {
  const present = pod.spec.volumes?.find((volume) => volume.name.startsWith(TOKEN_VOLUME_PREFIX));
  const name = present?.name ?? TOKEN_VOLUME_PREFIX + nameSuffix(random);
  let isUsed = false;
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === TOKEN_PATH) === true) continue;
    addMount(container, name);
    isUsed = true;
  }
  if (isUsed && present === undefined) pod.spec.volumes = [...(pod.spec.volumes ?? []), tokenVolume(name)];
}

function addMount(container: Draft<Container>, name: string): void {
  container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_PATH }];
}

function tokenVolume(name: string): Draft<Volume> {
  const ca = { name: wellknown.ROOT_CA_CONFIG_MAP, items: [{ key: 'ca.crt', path: 'ca.crt' }] };
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: ca },
        { downwardAPI: { items: [namespace] } },
      ],
      defaultMode: 0o644,
    },
  };
}

/** A static pod runs without the API: it cannot have what only the API gives. */
function checkMirrorPod(attributes: AdmissionAttributes, pod: Pod): void {
  if ((pod.spec.serviceAccountName ?? '') !== '') {
    throw refuse(attributes, 'a mirror pod may not reference service accounts');
  }
  if (secretNamesOf(pod).length > 0) throw refuse(attributes, 'a mirror pod may not reference secrets');
  const sources = (pod.spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (sources.some((source) => source.serviceAccountToken !== undefined)) {
    throw refuse(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
  }
}
