import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client, Draft } from '@binnacle/client';

const AT_ONCE = 64;
/** A pod object of an ordinary chart has about this many bytes. */
const BODY_BYTES = 1800;

/** A pod of 1.8 KB for a scheduler of the given name. */
export function benchPod(name: string, schedulerName: string): Draft<Pod> {
  const pod: Draft<Pod> = {
    metadata: { name, labels: { app: 'bench' }, annotations: { filler: '' } },
    spec: {
      schedulerName,
      automountServiceAccountToken: false,
      containers: [
        { name: 'web', image: 'binnacle.local/frontend:1.0', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
      ],
    },
  };
  const filler = 'x'.repeat(Math.max(0, BODY_BYTES - JSON.stringify(pod).length));
  return { ...pod, metadata: { ...pod.metadata, annotations: { filler } } };
}

/** Does something so many times, 64 at once. */
export async function inParallel(count: number, one: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await one(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Creates pods, 64 at once, in the namespaces that they name. Answers with their names. */
export async function createPods(client: Client, count: number, make: (i: number) => Draft<Pod>): Promise<string[]> {
  const names: string[] = [];
  await inParallel(count, async (i) => {
    const draft = make(i);
    const pod = await client.resource(PODS, draft.metadata.namespace ?? 'default').create(draft);
    names.push(pod.metadata.name ?? '');
  });
  return names;
}

/** Deletes pods at once, 64 at a time. */
export async function deletePods(client: Client, names: readonly string[]): Promise<void> {
  const api = client.resource(PODS, 'default');
  await inParallel(names.length, (i) => api.delete(names[i] ?? '', { gracePeriodSeconds: 0 }));
}
